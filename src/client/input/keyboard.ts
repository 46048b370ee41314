/** Reads typed lines from the terminal in raw mode, so that passwords are not echoed. */
import { openSync } from "node:fs";
import { ReadStream } from "node:tty";
import { ServiceError } from "../../base/errors.ts";

/** Thrown at Ctrl-C or the end of the input. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

export interface Keyboard {
  /**
   * @param ask shows the question; called when the terminal no longer echoes.
   * @param echo shows typed text; absent: nothing is shown.
   * @throws Interrupted
   */
  readLine(ask: () => void, echo?: (text: string) => void): Promise<string>;
}

/** Opens the terminal, because standard input may be a file. Once: a second reader would lose keys. */
export function openKeyboard(): Keyboard {
  const input = openTerminal();
  /** Keys typed ahead. */
  let typed = "";
  let onKey = () => {};
  let over = false;
  input.setEncoding("utf8");
  input.on("data", (keys) => {
    typed += String(keys);
    onKey();
  });
  for (const end of ["end", "error", "close"] as const) {
    input.on(end, () => {
      over = true;
      onKey();
    });
  }

  async function nextKey(): Promise<string> {
    while (typed === "" && !over) await new Promise<void>((resolve) => (onKey = resolve));
    const [key = ""] = typed;
    typed = typed.slice(key.length);
    return key;
  }

  async function readKeys(echo: ((text: string) => void) | undefined): Promise<string> {
    let line: string[] = [];
    for (;;) {
      const key = await nextKey();
      if (key === "\r" || key === "\n") return line.join("");
      if (key === "" || key === "\x03" || (key === "\x04" && line.length === 0)) throw new Interrupted();
      const erased =
        key === "\x15" ? line.length : key === "\x7f" || key === "\b" ? Math.min(1, line.length) : 0;
      echo?.(erased > 0 ? "\b \b".repeat(erased) : key >= " " && key !== "\x7f" ? key : "");
      line = erased > 0 ? line.slice(0, -erased) : key >= " " && key !== "\x7f" ? [...line, key] : line;
    }
  }

  return {
    async readLine(ask, echo) {
      input.setRawMode(true);
      input.resume();
      try {
        ask();
        return await readKeys(echo);
      } finally {
        input.pause();
        // Restores the usual meaning of Ctrl-C.
        input.setRawMode(false);
      }
    },
  };
}

function openTerminal(): ReadStream {
  try {
    return new ReadStream(openSync("/dev/tty", "r"));
  } catch {
    throw new ServiceError("Validation", "A terminal is needed to ask for input.");
  }
}
