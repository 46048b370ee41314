/** The names of the driver's queries: what each takes, and whether it may be run again. Loaded with the manifest. */
import type { Command } from "patchbay/plugin";

interface Named {
  /** It may be run again when nobody knows whether it ran. */
  readonly reads: boolean;
  /** Arguments besides `timeout`. */
  readonly takes: readonly string[];
}

const shown = ["format", "lists"];
const filtered = ["filter", "namespaces", "with_defaults", ...shown];

export const commandNames = {
  get: { reads: true, takes: filtered },
  "get-config": { reads: true, takes: ["source", ...filtered] },
  "get-schema": { reads: true, takes: ["identifier", "revision"] },
  capabilities: { reads: true, takes: [] },
  facts: { reads: true, takes: [] },
  compare: { reads: true, takes: [] },
  validate: { reads: true, takes: ["source"] },
  lock: { reads: false, takes: ["target"] },
  unlock: { reads: false, takes: ["target"] },
  "discard-changes": { reads: false, takes: [] },
  commit: { reads: false, takes: ["handle"] },
  "cancel-commit": { reads: false, takes: ["handle"] },
} as const satisfies Readonly<Record<string, Named>>;
export type CommandName = keyof typeof commandNames;

export const textOf = (command: Command): string =>
  (typeof command === "string" ? command : command.send).trim();
export const isXml = (text: string): boolean => text.startsWith("<");
export const isNamed = (text: string): text is CommandName => Object.hasOwn(commandNames, text);

/** Operations that change a configuration, with or without a prefix; comments and declarations may come first. */
const edits =
  /^(?:<\?[\s\S]*?\?>|<!--[\s\S]*?-->|\s)*<(?:[\w.-]+:)?(edit-config|edit-data|copy-config|delete-config)[\s/>]/;

export function isRepeatable(command: Command): boolean {
  const text = textOf(command);
  return isNamed(text) && commandNames[text].reads;
}

/** Names that no command has, and arguments that none of the commands takes. */
export function needlessArgs(
  list: readonly Command[],
  args: Readonly<Record<string, unknown>>,
): readonly { path: string; message: string }[] {
  const texts = list.map(textOf);
  const faults = texts.flatMap((text, at) => {
    const [, edit] = edits.exec(text) ?? [];
    if (edit !== undefined)
      return [
        { path: `command.${at}`, message: `${edit} changes a configuration: a push has it as \`config\`` },
      ];
    if (isXml(text) || isNamed(text)) return [];
    const message = `must be an operation as XML, or one of ${Object.keys(commandNames).join(", ")}`;
    return [{ path: `command.${at}`, message }];
  });
  if (faults.length > 0) return faults;
  const taken = new Set<string>([
    "timeout",
    ...texts.flatMap((text) => (isNamed(text) ? commandNames[text].takes : shown)),
  ]);
  return Object.entries(args)
    .filter(([name, value]) => value !== undefined && !taken.has(name))
    .map(([name]) => ({
      path: `driver_args.${name}`,
      message: "is not an argument of any of the commands",
    }));
}
