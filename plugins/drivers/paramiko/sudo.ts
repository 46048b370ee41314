/** From a command to the line that the server is given: as another user through sudo, or as it stands. */
import { randomBytes } from "node:crypto";
import type { ExecOptions, Secret } from "patchbay/plugin";
import type { ConfigureArgs } from "./args.ts";
import type { Unit } from "./units.ts";

export interface Prepared {
  readonly line: string;
  readonly options: ExecOptions;
}

type Environment = Readonly<Record<string, string>> | undefined;

/** Words of a command that need no shell: sudo runs it itself, so that rules for one program hold. */
const simple = /^[\w@%+=:,./ -]+$/;

export function asOneself({ text, script }: Unit, environment: Environment, pty: boolean): Prepared {
  const plain = { pty, ...(environment === undefined ? {} : { environment }) };
  if (!script) return { line: text, options: plain };
  // A terminal would echo what it reads.
  if (pty) return { line: `sh -e -c ${quoted(text)}`, options: plain };
  return { line: "sh -e", options: { ...plain, input: `${text}\n` } };
}

/**
 * The password is typed at a prompt that nobody else writes, and what is to be read comes after a mark that the shell
 * behind sudo sets: whether sudo asks or not, the password is read by nobody but it.
 */
export function asRoot(unit: Unit, args: ConfigureArgs): Prepared {
  const { sudo_password: password, become_user: user, environment } = args;
  const pty = args.get_pty ?? password !== undefined;
  const asks = `patchbay-${randomBytes(8).toString("hex")}:`;
  const mark = `patchbay-${randomBytes(8).toString("hex")}.`;
  const sudo = [
    "sudo",
    ...(password === undefined ? ["-n"] : ["-S", "-p", asks]),
    ...(user === undefined ? [] : ["-u", quoted(user)]),
    "--",
  ].join(" ");
  const answer = password === undefined ? {} : { answer: answerTo(asks, password) };
  const direct = !unit.script && environment === undefined && simple.test(unit.text);
  if (direct) return { line: `${sudo} ${unit.text}`, options: { pty, ...answer } };
  const exports = Object.entries(environment ?? {}).map(
    ([name, value]) => `export ${name}=${quoted(value)}\n`,
  );
  const shown = `printf %s ${mark} >&2\n`;
  if (unit.script && !pty) {
    const shell = `${exports.join("")}${shown}exec sh -e`;
    const options = { pty, ready: literal(mark), input: `${unit.text}\n`, ...answer };
    return { line: `${sudo} sh -c ${quoted(shell)}`, options };
  }
  const shell = `${exports.join("")}${shown}${unit.text}`;
  return {
    line: `${sudo} sh ${unit.script ? "-e " : ""}-c ${quoted(shell)}`,
    options: { pty, ready: literal(mark), ...answer },
  };
}

function answerTo(prompt: string, reply: Secret) {
  return { prompt: literal(prompt), reply };
}

const literal = (text: string) => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));

/** One word of a POSIX shell, whatever it holds. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
