/** The terminal: results on standard output, everything else on standard error; prompts, colours, progress. */
import process from "node:process";
import { shown } from "../../base/text/terminal-text.ts";
import type { ClientEnvironment } from "../input/environment.ts";
import { type Keyboard, openKeyboard } from "../input/keyboard.ts";

export type Colour = "bold" | "dim" | "green" | "red" | "yellow";

export interface Terminal {
  /** Whether prompts are possible. */
  readonly isAttended: boolean;
  /** Width of the terminal; undefined if output is not a terminal. */
  readonly columns: number | undefined;
  /** Writes to standard output, verbatim: untrusted text must be cleaned first. */
  write(text: string): Promise<void>;
  /** Writes a message to standard error. */
  note(text: string): void;
  /** Shows progress in the last line of a terminal; does nothing elsewhere. */
  progress(text: string | undefined): void;
  paint(colour: Colour, text: string): string;
  ask(question: string): Promise<string>;
  /** Prompts without echo. */
  askHidden(question: string): Promise<string>;
}

const codes: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, green: 32, red: 31, yellow: 33 };
const eraseLine = "\r\x1b[K";

export function createTerminal({ noColor, dumb }: Pick<ClientEnvironment, "noColor" | "dumb">): Terminal {
  const { stdin, stdout, stderr } = process;
  const coloured = stdout.isTTY === true && !noColor && !dumb;
  const moves = stderr.isTTY === true && !dumb;
  let line: string | undefined;

  // The reader has closed the pipe, as `| head` does. Work on the service continues.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });

  /** Hides the progress line while other lines are written. */
  function beside<T>(work: () => T): T {
    if (line === undefined) return work();
    stderr.write(eraseLine);
    const result = work();
    stderr.write(line);
    return result;
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
