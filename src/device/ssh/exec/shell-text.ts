/**
 * Gives shell text and environment variables to a POSIX shell over its input. The login shell, which may be csh or fish,
 * reads only one line that all shells read alike; nothing of the text or the values appears in a process list.
 */
import { randomBytes } from "node:crypto";
import { ServiceError } from "../../../base/errors.ts";
import type { ExecOptions } from "../../../plugin/kit/ssh.ts";

export interface PreparedCommand {
  readonly line: string;
  /** Sent in order before any other input, each one when its mark has arrived; immediately if it has no mark. */
  readonly steps: readonly InputStep[];
  /** Printed when the command begins and may read its own input. */
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
  const { environment = {}, wrap, pty = false, answer, input } = options;
  const shell = options.shell ?? (wrap === undefined ? "login" : "sh");
  const entries = Object.entries(environment);
  if (shell === "login" && entries.length === 0) return { line: command, steps: [], ready: undefined };
  for (const entry of entries) check(...entry);
  const last = randomMark();
  // Before the shell reads, input would reach something else: a terminal echoes it, sudo takes it for the password.
  const mark = pty || answer !== undefined || wrap !== undefined ? randomMark() : undefined;
  const loud = pty && input !== undefined ? randomMark() : undefined;
  const reader = pty ? onTerminal(mark ?? "", last, loud) : fromInput(mark, last, input !== undefined);
  const line = `sh -c '${reader}; eval "$patchbay_"'`;
  const text = [
    "unset patchbay_ patchbay_line patchbay_end patchbay_tty",
    ...entries.map(([name, value]) => `${name}=${wordOf(value)}; export ${name}`),
    shell === "login" ? `exec "\${SHELL:-sh}" -c ${wordOf(command)}` : command,
    last,
  ];
  if (shell === "sh -e") text.splice(-2, 0, "set -e");
  return {
    line: wrap?.(line) ?? line,
    steps: [{ mark: mark === undefined ? undefined : literal(mark), text: `${text.join("\n")}\n` }],
    ready: loud === undefined ? undefined : literal(loud),
  };
}

/** The variables requested from the server itself. */
export function askedOf({ environment = {} }: Pick<ExecOptions, "environment">): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value.length <= maxRequestedChars),
  );
}

/**
 * These stand between single quotes in the login shell: without `'`, `!`, a line end, or a backslash before another or
 * before a quote. A terminal is raw meanwhile: it echoes nothing and reads control characters as text.
 */
function onTerminal(mark: string, last: string, loud: string | undefined): string {
  const done = loud === undefined ? "" : `; printf %s ${loud}`;
  return `patchbay_tty=$(stty -g); stty raw -echo; printf %s ${mark}; patchbay_=$(${upTo(last)}); stty "$patchbay_tty"${done}`;
}

function fromInput(mark: string | undefined, last: string, goesOn: boolean): string {
  const print = mark === undefined ? "" : `printf %s ${mark} >&2; `;
  if (!goesOn) return `${print}patchbay_=$(${upTo(last)})`;
  // What follows is for the command: `read` takes no byte of it, unlike sed.
  return `${print}patchbay_=; patchbay_end=$(printf "\\nx"); while IFS= read -r patchbay_line; do case $patchbay_line in ${last}) break;; esac; patchbay_="$patchbay_$patchbay_line\${patchbay_end%x}"; done`;
}

const upTo = (last: string) => `sed -n "/^${last}$/q;p"`;

/** For the POSIX shell only, so that a line end is allowed. */
function wordOf(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function check(name: string, value: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    const message = `${JSON.stringify(name)} cannot be the name of an environment variable`;
    throw new ServiceError("DriverError", message);
  }
  if (value.includes("\0"))
    throw new ServiceError("DriverError", `A NUL character cannot stand in the variable ${name}`);
}

const randomMark = () => `patchbay-${randomBytes(8).toString("hex")}`;
const literal = (text: string) => new RegExp(text);
