/** A device that reads texts and unfinished lines: it announces them, thinks, and sends its output in pieces. */
import { type FakeStream, fakeStream } from "./fake-stream.ts";

export interface ReadingDevice {
  readonly stream: FakeStream;
  /** Lines typed at a prompt, and the texts that followed them, joined. */
  readonly entered: string[];
  /** Everything received, line by line. */
  readonly lines: string[];
}

export interface Reading {
  readonly opens: RegExp;
  readonly says: string;
  /** The line that ends the text. */
  readonly ends: RegExp;
  /** Shown for each line of the text. */
  readonly mark?: string;
  /** Asked after the text. */
  readonly asks?: string;
}

export interface ReadingDeviceOptions {
  readonly readings: readonly Reading[];
  /** Delays before each piece of output, repeated. */
  readonly thinksMs?: readonly number[];
  /** Length of a piece; default: all at once. */
  readonly piece?: number;
}

export function readingDevice({
  readings,
  thinksMs = [0],
  piece = 1000,
}: ReadingDeviceOptions): ReadingDevice {
  const lines: string[] = [];
  const entered: string[] = [];
  const queue: string[] = [];
  let prompt = "R1#";
  let reading: Reading | undefined;
  let asked = false;
  let line = "";
  let pieces = 0;
  let isSending = false;

  const stream = fakeStream((text) => {
    for (const key of text) {
      if (key === "\x03") leaveText();
      else if (key === "\x04" && line === "") enter(key);
      else if (key === "\n") enter(line);
      else line += key;
    }
  });

  function leaveText(): void {
    line = "";
    reading = undefined;
    say(`^C\r\n${prompt}`);
  }

  function enter(typed: string): void {
    line = "";
    lines.push(typed);
    say(typed === "\x04" ? "" : `${typed}\r\n`);
    if (asked) {
      asked = false;
      entered.push(typed);
      say(prompt);
    } else if (reading !== undefined) readOn(typed, reading);
    else run(typed);
  }

  function run(typed: string): void {
    entered.push(typed);
    reading = readings.find(({ opens }) => opens.test(typed));
    if (reading !== undefined) {
      say(reading.says + (reading.mark ?? ""));
      return;
    }
    if (typed === "configure terminal") prompt = "R1(config)#";
    if (typed === "end") prompt = "R1#";
    say(`${/^show /.test(typed) ? `rows of ${typed}\r\n` : ""}${prompt}`);
  }

  function readOn(typed: string, { ends, mark = "", asks }: Reading): void {
    entered[entered.length - 1] += `\n${typed}`;
    const isOver = ends.test(typed);
    if (isOver) reading = undefined;
    asked = isOver && asks !== undefined;
    say(isOver ? (asks ?? prompt) : mark);
  }

  function say(text: string): void {
    for (let at = 0; at < text.length; at += piece) queue.push(text.slice(at, at + piece));
    if (!isSending) sendNext();
  }

  function sendNext(): void {
    const next = queue.shift();
    isSending = next !== undefined;
    if (next === undefined) return;
    const ms = thinksMs[pieces++ % thinksMs.length] ?? 0;
    const go = () => {
      stream.feed(next);
      sendNext();
    };
    if (ms === 0) queueMicrotask(go);
    else setTimeout(go, ms);
  }

  say(prompt);
  return { stream, entered, lines };
}
