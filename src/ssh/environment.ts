/**
 * Variables of one command. They are asked of the server, which drops those that its AcceptEnv does not list, and set by
 * the shell that runs the command: it reads their values first, so that they stand in no process list.
 */
import { randomBytes } from "node:crypto";
import { ServiceError } from "../base/errors.ts";
import type { ExecOptions } from "../plugin/ssh.ts";

export interface PreparedCommand {
  readonly line: string;
  /** Sent one after the other before anything else, each when its mark has come; without a mark at once. */
  readonly steps: readonly InputStep[];
  readonly ready: RegExp | undefined;
}

export interface InputStep {
  readonly mark: RegExp | undefined;
  readonly text: string;
}

type Environment = Readonly<Record<string, string>>;

/** Longer ones are set by the shell alone. */
const longestAsked = 8 * 1024;

/** @throws ServiceError DriverError: a name or a value that no shell can set */
export function prepareCommand(command: string, options: ExecOptions): PreparedCommand {
  const { environment = {}, wrap = (shell: string) => shell, pty = false, answer, ready } = options;
  const entries = Object.entries(environment);
  if (entries.length === 0) return { line: wrap(command), steps: [], ready };
  for (const entry of entries) check(...entry);
  const reads = `${entries.map(readInto).join("\n")}\nexport ${entries.map(([name]) => name).join(" ")}`;
  const text = `${entries.map(([, value]) => value).join("\n")}\n`;
  // Until the shell reads, what comes is somebody else's: a terminal repeats it, sudo takes it for the password.
  const mark = pty || answer !== undefined ? randomMark() : undefined;
  const steps = [{ mark: mark === undefined ? undefined : literal(mark), text }];
  if (!pty) {
    const shown = mark === undefined ? "" : `printf %s ${mark} >&2\n`;
    return { line: wrap(`${shown}${reads}\n${command}`), steps, ready };
  }
  const last = randomMark();
  const quiet = `patchbay_=$(stty -g)\nstty -echo -icanon -icrnl min 1 time 0\nprintf %s ${mark}`;
  const loud = `stty "$patchbay_"\nunset patchbay_\nprintf %s ${last}`;
  return {
    line: wrap(`${quiet}\n${reads}\n${loud}\n${command}`),
    steps: ready === undefined ? steps : [...steps, { mark: literal(last), text: "" }],
    ready: ready ?? literal(last),
  };
}

/** What the server itself is asked to set. */
export function askedOf({ environment = {} }: Pick<ExecOptions, "environment">): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value.length <= longestAsked));
}

/** A value of several lines is read line by line. */
function readInto([name, value]: readonly [string, string]): string {
  const more = value.split("\n").length - 1;
  const line = `IFS= read -r patchbay_line\n${name}="$${name}\n$patchbay_line"`;
  return [`IFS= read -r ${name}`, ...Array.from({ length: more }, () => line)].join("\n");
}

function check(name: string, value: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    const message = `${JSON.stringify(name)} cannot be the name of an environment variable`;
    throw new ServiceError("DriverError", message);
  }
  if (value.includes("\0"))
    throw new ServiceError("DriverError", `A NUL character cannot stand in the variable ${name}`);
}

const randomMark = () => `patchbay-${randomBytes(8).toString("hex")}.`;
const literal = (text: string) => new RegExp(text.replaceAll(".", "\\."));
