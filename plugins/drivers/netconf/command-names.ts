/** The names of the driver's queries and what each takes, and which operations read. Loaded with the manifest. */
import type { Command } from "patchbay/plugin";

const shown = ["format", "lists"];
const filtered = ["filter", "namespaces", "with_defaults", ...shown];

/** Queries, with their arguments besides `timeout`. None changes anything. */
export const commandNames = {
  get: filtered,
  "get-config": ["source", ...filtered],
  "get-schema": ["identifier", "revision"],
  capabilities: [],
  facts: [],
  compare: [],
  validate: ["source"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type CommandName = keyof typeof commandNames;

/** What a push may have as `config` besides a configuration, as it may have an operation in `<rpc>`. */
export const operationNames = ["commit", "cancel-commit", "discard-changes"] as const;
export type OperationName = (typeof operationNames)[number];

export const textOf = (command: Command): string =>
  (typeof command === "string" ? command : command.send).trim();
export const isXml = (text: string): boolean => text.startsWith("<");
export const isNamed = (text: string): text is CommandName => Object.hasOwn(commandNames, text);
export const isOperation = (text: string): text is OperationName =>
  operationNames.some((name) => name === text);

/** Whether an operation of this name, without prefix, only reads. The standard's and the vendors' are called so. */
export const isReading = (operation: string): boolean => /^(?:get(?:-[\w.-]+)?|validate)$/.test(operation);

/** The name of the operation in a text of XML, with or without `<rpc>` around it; undefined if it is none. */
export function operationIn(text: string): string | undefined {
  const outer = elementAt(text, 0);
  return outer?.name === "rpc" ? elementAt(text, outer.end)?.name : outer?.name;
}

/** The next element; comments, declarations and white space may come first. Reads each character once. */
function elementAt(text: string, from: number): { readonly name: string; readonly end: number } | undefined {
  for (let at = from; ; ) {
    while (/\s/.test(text.charAt(at))) at++;
    const close = text.startsWith("<!--", at) ? "-->" : text.startsWith("<?", at) ? "?>" : undefined;
    if (close === undefined) {
      const tag = /<(?:[\w.-]{1,256}:)?([\w.-]{1,256})(?=[\s/>])/y;
      tag.lastIndex = at;
      const name = tag.exec(text)?.[1];
      const end = text.indexOf(">", at);
      return name === undefined || end < 0 ? undefined : { name, end: end + 1 };
    }
    const end = text.indexOf(close, at);
    if (end < 0) return undefined;
    at = end + close.length;
  }
}

/** Names that no command has, operations that a query must not carry, and arguments that none of the commands takes. */
export function needlessArgs(
  list: readonly Command[],
  args: Readonly<Record<string, unknown>>,
): readonly { path: string; message: string }[] {
  const texts = list.map(textOf);
  const faults = texts.flatMap((text, at) => {
    const path = `command.${at}`;
    if (isNamed(text)) return [];
    if (isXml(text)) {
      const operation = operationIn(text);
      return operation === undefined || isReading(operation)
        ? []
        : [{ path, message: pushedInstead(operation) }];
    }
    if (isOperation(text))
      return [{ path, message: `may change the device: a push has "${text}" as \`config\`` }];
    if (text === "lock" || text === "unlock")
      return [{ path, message: "is no query: a push locks and unlocks by itself (`driver_args.lock`)" }];
    const message = `must be an operation as XML, or one of ${Object.keys(commandNames).join(", ")}`;
    return [{ path, message }];
  });
  if (faults.length > 0) return faults;
  const taken = new Set<string>([
    "timeout",
    ...texts.flatMap((text) => (isNamed(text) ? commandNames[text] : shown)),
  ]);
  return Object.entries(args)
    .filter(([name, value]) => value !== undefined && !taken.has(name))
    .map(([name]) => ({
      path: `driver_args.${name}`,
      message: "is not an argument of any of the commands",
    }));
}

export function pushedInstead(operation: string): string {
  return ["edit-config", "edit-data"].includes(operation)
    ? `${operation} changes a configuration: a push has it as \`config\``
    : `${operation.slice(0, 100)} may change the device: only get, get-… and validate are queries; a push has \`<rpc>\` with the operation as \`config\``;
}
