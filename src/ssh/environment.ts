/**
 * Environment variables of one command. They are requested from the server, which drops those not listed in its
 * AcceptEnv, and also set by the shell that runs the command. The shell reads the values from its input, so that they
 * never appear in a process list.
 */
import { randomBytes } from "node:crypto";
import { ServiceError } from "../base/errors.ts";
import type { ExecOptions } from "../plugin/ssh.ts";

export interface PreparedCommand {
  readonly line: string;
  /** Sent in order before any other input, each one when its mark has arrived; immediately if it has no mark. */
  readonly steps: readonly InputStep[];
  readonly ready: RegExp | undefined;
}

export interface InputStep {
  readonly mark: RegExp | undefined;
  readonly text: string;
}

type Environment = Readonly<Record<string, string>>;

/** Longer values are set by the shell only. */
const maxRequestedChars = 8 * 1024;

/** @throws ServiceError DriverError for a name or value that no shell can set */
export function prepareCommand(command: string, options: ExecOptions): PreparedCommand {
  const { environment = {}, wrap = (shell: string) => shell, pty = false, answer, ready } = options;
  const entries = Object.entries(environment);
  if (entries.length === 0) return { line: wrap(command), steps: [], ready };
  for (const entry of entries) check(...entry);
  const reads = `${entries.map(readInto).join("\n")}\nexport ${entries.map(([name]) => name).join(" ")}`;
  const text = `${entries.map(([, value]) => value).join("\n")}\n`;
  // Before the shell reads, input would reach something else: a terminal echoes it, sudo takes it for the password.
  const mark = pty || answer !== undefined ? randomMark() : undefined;
  const steps = [{ mark: mark === undefined ? undefined : literal(mark), text }];
  if (!pty) {
    const printMark = mark === undefined ? "" : `printf %s ${mark} >&2\n`;
    return { line: wrap(`${printMark}${reads}\n${command}`), steps, ready };
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

/** The variables requested from the server itself. */
export function askedOf({ environment = {} }: Pick<ExecOptions, "environment">): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value.length <= maxRequestedChars),
  );
}

/** Reads a multi-line value line by line. */
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
