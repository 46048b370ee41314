/** How drivers show a device's configuration: by commands of the platform's data, or files by one shell command. */
import type {
  AskedConfiguration,
  ConfigurationPart,
  ConfigurationQuery,
  PlatformPlugin,
  ShownText,
} from "patchbay/plugin";
import { isRecord, shellQuote } from "patchbay/plugin";

/** A command, and the part whose text it shows. */
export interface PartCommand {
  readonly part: ConfigurationPart;
  readonly command: string;
}

/** Devices collect a large configuration for a minute before they send the first line. */
export const showSeconds = 300;

interface Shown {
  readonly args?: Readonly<Record<string, unknown>>;
  readonly platform: PlatformPlugin | undefined;
  /** Whether the platform's command that lists modules is sent besides. */
  readonly asksModules?: boolean;
}

/** The query of these commands; if two show one part, the first that the device did not refuse counts. */
export function queryOf(
  commands: readonly PartCommand[],
  { args = {}, platform, asksModules = false }: Shown,
): ConfigurationQuery | undefined {
  if (commands.length === 0) return undefined;
  const modules = asksModules ? platform?.running?.modules : undefined;
  return {
    // Modules behind the text: one that ends while it is shown is missed.
    commands: [...commands.map(({ command }) => command), ...(modules === undefined ? [] : [modules.show])],
    args,
    platform,
    parts: [...new Set(commands.map(({ part }) => part))],
    textsOf(outputs) {
      const texts = new Map<ConfigurationPart, ShownText>();
      for (const [at, { part, command }] of commands.entries()) {
        const text = withoutMarks(textOf(outputs[at]), command);
        const before = texts.get(part);
        if (text === undefined || (before !== undefined && !isRefused(before.text, platform))) continue;
        texts.set(part, { part, command, text });
      }
      const running = texts.get("running");
      const answered = modules && modulesIn(textOf(outputs[commands.length]), modules.names, platform);
      if (running !== undefined && answered !== undefined)
        texts.set("running", { ...running, modules: answered });
      return [...texts.values()];
    },
  };
}

/** For drivers whose devices have the running configuration only, shown by this command. */
export const runningBy =
  (command: string, args: Readonly<Record<string, unknown>>) =>
  ({ parts }: AskedConfiguration): ConfigurationQuery | undefined =>
    queryOf(
      parts.filter((part) => part === "running").map((part) => ({ part, command })),
      { args: { ...args, timeout: showSeconds }, platform: undefined },
    );

/** Text as it is, or the standard output of a command on a server. */
function textOf(output: unknown): string | undefined {
  if (typeof output === "string") return output;
  return isRecord(output) && typeof output.output === "string" ? output.output : undefined;
}

/** @returns undefined: the device does not say */
function modulesIn(
  text: string | undefined,
  names: RegExp,
  platform: PlatformPlugin | undefined,
): readonly string[] | undefined {
  if (text === undefined || isRefused(text, platform)) return undefined;
  const all = new RegExp(names.source, [...new Set(`${names.flags}g`)].join(""));
  const found = new Set(Array.from(text.slice(0, mostOfModules).matchAll(all), ({ groups }) => groups?.name));
  found.delete(undefined);
  return found.size === 0 ? undefined : [...found].filter((name) => name !== undefined).slice(0, mostModules);
}

/** A chassis has some dozens; of a longer answer the rest is not looked at. */
const mostOfModules = 64 * 1024;
const mostModules = 200;

/** A refusal stands at the beginning of an answer. */
function isRefused(text: string, platform: PlatformPlugin | undefined): boolean {
  const start = text.slice(0, 500);
  return (platform?.errors ?? []).some((error) => start.search(error) >= 0);
}

/** Begins the line about a file that was asked for by name and cannot be shown; platforms have it among their refusals. */
const refusedFile = "refused: ";

/**
 * For a POSIX shell, whatever the login shell is: prints each file below a line with its name, and last a line that
 * marks the end. One that may not be read is named. The first argument begins each of these lines, the second what is said
 * of files that cannot be shown; if that is empty, one that is absent is left out. Names may contain `*` and `?`.
 */
const showFiles =
  'export LC_ALL=C; IFS=; t=$1 m=$2; shift 2; for p do [ -z "$m" ] || [ -e "$p" ] || case $p in *[*?]*) ;; *) echo "$t $m$p is absent";; esac; for f in $p; do if [ -d "$f" ]; then [ -r "$f" ] || echo "$t $m$f may not be read"; f="$f/*"; fi; for g in $f; do if [ -f "$g" ]; then printf %s "$t file: $g"; echo; if [ -r "$g" ]; then cat -- "$g"; echo; else echo "$t $m$g may not be read"; fi; fi; done; done; done; echo "$t end of files"';
const filesStart = `sh -c ${shellQuote(showFiles)} sh`;

/** @param as `named` one by one, each of which must be there; `usual`: of those that systems have, whichever is there */
export function filesCommand(files: readonly string[], as: "named" | "usual"): string {
  // Unknown to who writes a file: they could write the name of another one into it.
  const mark = crypto.randomUUID().slice(-12);
  const said = as === "named" ? shellQuote(refusedFile) : "''";
  return [filesStart, mark, said, ...files.map(shellQuote)].join(" ");
}

const ownWords = `file: |end of files|${refusedFile}`;
const firstOwn = new RegExp(`\\b([0-9a-f]{12}) (?:${ownWords})`);
const likeOwn = new RegExp(`# (?:${ownWords})`, "g");
const wordsIn = new RegExp(ownWords);
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * Lines of the command begin with `#` in place of their mark. What a file has of such words has a `#` more, whatever a
 * terminal would show of its line.
 */
function withoutMarks(output: string | undefined, command: string): string | undefined {
  if (output === undefined || !isFilesCommand(command)) return output;
  // Before the first of its lines there is nothing of a file.
  const mark = firstOwn.exec(output)?.[1];
  if (mark === undefined) return output;
  const own = new RegExp(`${mark} ((?:${ownWords}).*)`);
  let isFile = false;
  return output
    .split("\n")
    .map((line) => {
      const said = own.exec(line)?.[1];
      isFile ||= said !== undefined;
      if (said !== undefined) return `# ${said}`;
      if (!isFile || !wordsIn.test(line.replace(controls, ""))) return line;
      return line.replace(/\r$/, "").replace(controls, "?").replace(likeOwn, "#$&");
    })
    .join("\n");
}

/** Such a command changes nothing on a server. */
export function isFilesCommand(command: unknown): boolean {
  return (
    typeof command === "string" &&
    command.startsWith(`${filesStart} `) &&
    /^(?: (?:'[^']*'|[\w/.:@%+-]+))+$/.test(command.slice(filesStart.length))
  );
}
