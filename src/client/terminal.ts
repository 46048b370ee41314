/** The operator's terminal: results on the standard output, everything else on the standard error; questions, colours, progress. */
import process from "node:process";
import { shown } from "./clean.ts";
import type { ClientEnvironment } from "./environment.ts";
import { type Keyboard, openKeyboard } from "./keyboard.ts";

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

  let keyboard: Keyboard | undefined;

  async function ask(question: string, hidden: boolean): Promise<string> {
    keyboard ??= openKeyboard();
    const show = (text: string) => void stderr.write(text);
    try {
      return await keyboard.readLine(() => show(shown(question)), hidden ? undefined : show);
    } finally {
      stderr.write("\n");
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
