/** The operator's terminal: results on the standard output, everything else on the standard error; questions, colours, progress. */
import { openSync } from "node:fs";
import process from "node:process";
import { ReadStream } from "node:tty";
import { ServiceError } from "../base/errors.ts";
import { shown } from "./clean.ts";
import type { ClientEnvironment } from "./environment.ts";

export type Colour = "bold" | "dim" | "green" | "red" | "yellow";

export interface Terminal {
  /** Whether somebody can be asked. */
  readonly isAttended: boolean;
  /** Whether results go to a terminal, which is as wide as that. */
  readonly columns: number | undefined;
  /** To the standard output, as it is: a text that came from elsewhere is cleaned before. */
  write(text: string): Promise<void>;
  /** A line of our own beside the results. */
  note(text: string): void;
  /** What is going on, in the last line of a terminal; nothing anywhere else. */
  progress(text: string | undefined): void;
  paint(colour: Colour, text: string): string;
  ask(question: string): Promise<string>;
  /** What is typed is not shown. */
  askHidden(question: string): Promise<string>;
}

/** Ctrl-C while a question stands, or the end of the input. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

const codes: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, green: 32, red: 31, yellow: 33 };
const eraseLine = "\r\x1b[K";

export function createTerminal({ noColor, dumb }: Pick<ClientEnvironment, "noColor" | "dumb">): Terminal {
  const { stdin, stdout, stderr } = process;
  const coloured = stdout.isTTY === true && !noColor && !dumb;
  const moves = stderr.isTTY === true && !dumb;
  let line: string | undefined;

  // Whoever read our output has left: `| head`. What runs on the service goes on.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });

  /** The progress makes room for other lines. */
  function beside<T>(work: () => T): T {
    if (line === undefined) return work();
    stderr.write(eraseLine);
    const done = work();
    stderr.write(line);
    return done;
  }

  async function write(text: string): Promise<void> {
    if (text === "") return;
    await beside(
      () =>
        new Promise<void>((resolve) => {
          stdout.write(text, () => resolve());
        }),
    );
  }

  async function ask(question: string, hidden: boolean): Promise<string> {
    const { input, close } = openInput();
    try {
      input.setRawMode(true);
      stderr.write(shown(question));
      return await readLine(input, hidden ? undefined : (text) => void stderr.write(text));
    } finally {
      input.setRawMode(false);
      stderr.write("\n");
      close();
    }
  }

  return {
    isAttended: stdin.isTTY === true || stderr.isTTY === true,
    columns: stdout.isTTY === true ? stdout.columns : undefined,
    write,
    note: (text) => beside(() => void stderr.write(`${shown(text)}\n`)),
    progress(text) {
      if (!moves) return;
      const next = text === undefined ? undefined : shown(text).slice(0, (stderr.columns || 80) - 1);
      if (next === line) return;
      stderr.write(`${eraseLine}${next ?? ""}`);
      line = next;
    },
    paint: (colour, text) => (coloured ? `\x1b[${codes[colour]}m${text}\x1b[0m` : text),
    ask: (question) => ask(question, false),
    askHidden: (question) => ask(question, true),
  };
}

/** The terminal itself: the standard input may be a file. */
function openInput(): { input: ReadStream; close(): void } {
  try {
    const input = new ReadStream(openSync("/dev/tty", "r"));
    return { input, close: () => input.destroy() };
  } catch {
    throw new ServiceError("Validation", "There is no terminal to ask at.");
  }
}

/** Typed without the terminal's own echo. @throws Interrupted */
function readLine(input: ReadStream, echo: ((text: string) => void) | undefined): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  input.setEncoding("utf8");
  input.on("data", (typed) => {
    for (const char of String(typed)) {
      if (char === "\r" || char === "\n") return resolve(text);
      if (char === "\x03" || (char === "\x04" && text === "")) return reject(new Interrupted());
      if (char === "\x7f" || char === "\b") {
        if (text !== "") echo?.("\b \b");
        text = [...text].slice(0, -1).join("");
      } else if (char === "\x15") {
        echo?.("\b \b".repeat([...text].length));
        text = "";
      } else if (char >= " ") {
        text += char;
        echo?.(char);
      }
    }
  });
  input.on("error", reject);
  input.on("end", () => reject(new Interrupted()));
  input.resume();
  return promise;
}
