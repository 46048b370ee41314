/** Builds the command line for the server, with or without sudo. */
import { randomBytes } from "node:crypto";
import { type ExecOptions, type Secret, shellQuote } from "patchbay/plugin";
import type { ConfigureArgs } from "./args.ts";
import type { Unit } from "./units.ts";

export interface Prepared {
  readonly line: string;
  readonly options: ExecOptions;
  /** Ends the command if the user's own signals do not reach it. */
  stop?(): Prepared;
}

type Environment = Readonly<Record<string, string>> | undefined;

/**
 * A command without shell syntax: sudo runs it directly, so that sudoers rules for a single program apply. The login
 * shell reads each of its words between quotes.
 */
const simple = /^[\w@%+=:,./ -]+$/;

export function asOneself({ text, script }: Unit, environment: Environment, pty: boolean): Prepared {
  const options: ExecOptions = {
    pty,
    ...(script ? { shell: "sh -e" } : {}),
    ...(environment === undefined ? {} : { environment }),
  };
  return { line: text, options };
}

/**
 * The password is typed at a unique prompt, and the text only after a mark that the shell behind sudo prints. So nothing
 * but sudo can read the password, whether it asks or not, and the login shell reads no text of the caller.
 */
export function asRoot(unit: Unit, args: ConfigureArgs): Prepared {
  const { sudo_password: password, become_user: user, environment } = args;
  const pty = args.get_pty ?? password !== undefined;
  const { sudo, answer, asks } = sudoOf(password, user, pty);
  const stop = () => fedShell(stopScript(asks), args);
  // A signal would end only sudo, which then does not forward it.
  const options: ExecOptions = { pty, unsignalled: true, ...answer };
  if (!unit.script && environment === undefined && simple.test(unit.text)) {
    const words = unit.text.split(" ").filter((word) => word !== "");
    return { line: [sudo, ...words.map(shellQuote)].join(" "), options, stop };
  }
  return {
    line: unit.text,
    options: {
      ...options,
      shell: unit.script ? "sh -e" : "sh",
      wrap: (shell) => `${sudo} ${shell}`,
      ...(environment === undefined ? {} : { environment }),
    },
    stop,
  };
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

/** A POSIX shell that runs a script, directly or through sudo, with its output unchanged. */
export function fedShell(
  script: string,
  args: Pick<ConfigureArgs, "sudo" | "sudo_password" | "become_user" | "get_pty">,
): Prepared {
  if (args.sudo !== true) return { line: script, options: { pty: false, shell: "sh" } };
  const { sudo_password: password, become_user: user } = args;
  const pty = args.get_pty ?? password !== undefined;
  const { sudo, answer } = sudoOf(password, user, pty, ["-H"]);
  const line = pty ? `stty raw -echo\n${script}` : script;
  return { line, options: { pty, shell: "sh", wrap: (shell) => `${sudo} ${shell}`, ...answer } };
}

function sudoOf(
  password: Secret | undefined,
  user: string | undefined,
  pty: boolean,
  more: readonly string[] = [],
) {
  const asks = `patchbay-${randomBytes(8).toString("hex")}:`;
  const sudo = [
    "sudo",
    ...more,
    password === undefined ? "-n" : "-S",
    "-p",
    asks,
    ...(user === undefined ? [] : ["-u", shellQuote(user)]),
    "--",
  ].join(" ");
  return { sudo, asks, answer: password === undefined ? {} : { answer: answerTo(asks, password, pty) } };
}

/** Includes text that sudo prints before its prompt: the lecture. */
function answerTo(prompt: string, reply: Secret, pty: boolean): NonNullable<ExecOptions["answer"]> {
  return { prompt: new RegExp(`[^]*?${prompt}`), reply, tail: pty ? decorationOnTerminal : decoration };
}

/** sudo-rs writes `[sudo: PROMPT] Password: `, with the words of PAM in any language. */
const framed = /\] [^\r\n:\uff1a\xef]{1,100}(?::|\uff1a|\xef\xbc\x9a) ?/.source;
/** `pwfeedback` writes an asterisk for each character, and takes them back at the end. */
const taken = /\*+(?:\x08 \x08)+/.source;
const lineEnd = /\r?\n/.source;
const decoration = new RegExp(`^(?:${framed}(?:${taken})?(?:\\**${lineEnd})?|${taken}(?:${lineEnd})?)?`);
/** With echo off, a terminal shows the RETURN of the reply as an empty line. */
const decorationOnTerminal = new RegExp(`^(?:${framed})?(?:${taken})?(?:\\**${lineEnd})?`);
