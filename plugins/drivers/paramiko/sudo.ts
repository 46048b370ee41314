/** Builds the command line for the server, with or without sudo. */
import { randomBytes } from "node:crypto";
import type { ExecOptions, Secret } from "patchbay/plugin";
import type { ConfigureArgs } from "./args.ts";
import type { Unit } from "./units.ts";

export interface Prepared {
  readonly line: string;
  readonly options: ExecOptions;
  /** Ends the command if the user's own signals do not reach it. */
  stop?(): Prepared;
}

type Environment = Readonly<Record<string, string>> | undefined;

/** A command without shell syntax: sudo runs it directly, so that sudoers rules for a single program apply. */
const simple = /^[\w@%+=:,./ -]+$/;

export function asOneself({ text, script }: Unit, environment: Environment, pty: boolean): Prepared {
  const plain = { pty, ...(environment === undefined ? {} : { environment }) };
  if (!script) return { line: text, options: plain };
  // A terminal would echo its input.
  if (pty) return { line: `sh -e -c ${quoted(text)}`, options: plain };
  return { line: "sh -e", options: { ...plain, input: `${text}\n` } };
}

/**
 * The password is typed at a unique prompt, and further input is sent only after a mark that the shell behind sudo
 * prints. So nothing but sudo can read the password, whether it asks or not.
 */
export function asRoot(unit: Unit, args: ConfigureArgs): Prepared {
  const { sudo_password: password, become_user: user, environment } = args;
  const pty = args.get_pty ?? password !== undefined;
  const { sudo, answer, asks } = sudoOf(password, user);
  const stop = () => fedShell(stopScript(asks), args);
  const direct = !unit.script && environment === undefined && simple.test(unit.text);
  if (direct) return { line: `${sudo} ${unit.text}`, options: { pty, unsignalled: true, ...answer }, stop };
  const mark = randomMark();
  const options: ExecOptions = {
    pty,
    // A signal would end only sudo, which then does not forward it.
    unsignalled: true,
    ready: literal(mark),
    wrap: (shell) => `${sudo} sh -c ${quoted(shell)}`,
    ...(environment === undefined ? {} : { environment }),
    ...answer,
  };
  const printMark = `printf %s ${mark} >&2\n`;
  if (!unit.script) return { line: `${printMark}${unit.text}`, options, stop };
  // A terminal would echo its input.
  if (pty) return { line: `${printMark}exec sh -e -c ${quoted(unit.text)}`, options, stop };
  return { line: `${printMark}exec sh -e`, options: { ...options, input: `${unit.text}\n` }, stop };
}

/** Finds the processes started by one sudo, which is identified by the prompt in its arguments. */
function stopScript(asks: string): string {
  const tree = `{ parent[$1] = $2; if (index($0, "${asks}")) found[$1] = 1 }
END {
  do {
    more = 0
    for (pid in parent) if (!(pid in found) && (parent[pid] in found)) { found[pid] = 1; more = 1 }
  } while (more)
  for (pid in found) print pid
}`;
  return `all=$(ps -A -o pid= -o ppid= -o args=)
kill -KILL $(printf '%s\\n' "$all" | awk '${tree}') 2>/dev/null
exit
`;
}

/**
 * A shell that reads a script from its input, directly or through sudo. The script ends with `exit`, since a terminal
 * has no end of input.
 */
export function fedShell(
  script: string,
  args: Pick<ConfigureArgs, "sudo" | "sudo_password" | "become_user" | "get_pty">,
): Prepared {
  if (args.sudo !== true) return { line: "sh", options: { pty: false, input: script } };
  const { sudo_password: password, become_user: user } = args;
  const pty = args.get_pty ?? password !== undefined;
  const mark = randomMark();
  const { sudo, answer } = sudoOf(password, user, ["-H"]);
  const printMark = `printf %s ${mark} >&2`;
  // A terminal would modify and echo the input, and an interactive shell would print prompts.
  const last = randomMark();
  const shell = pty
    ? `stty raw -echo; ${printMark}; sed ${quoted(`/^${last}$/q`)} | sh`
    : `${printMark}; exec sh`;
  const input = pty ? `${script}${last}\n` : script;
  return { line: `${sudo} sh -c ${quoted(shell)}`, options: { pty, ready: literal(mark), input, ...answer } };
}

function sudoOf(password: Secret | undefined, user: string | undefined, more: readonly string[] = []) {
  const asks = `patchbay-${randomBytes(8).toString("hex")}:`;
  const sudo = [
    "sudo",
    ...more,
    password === undefined ? "-n" : "-S",
    "-p",
    asks,
    ...(user === undefined ? [] : ["-u", quoted(user)]),
    "--",
  ].join(" ");
  return { sudo, asks, answer: password === undefined ? {} : { answer: answerTo(asks, password) } };
}

const randomMark = () => `patchbay-${randomBytes(8).toString("hex")}.`;

/** Includes text that sudo prints before its prompt: the lecture. */
function answerTo(prompt: string, reply: Secret) {
  return { prompt: new RegExp(`[^]*?${literal(prompt).source}`), reply };
}

const literal = (text: string) => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
