/** A device with a line editor: `?` shows help, a tab completes, Ctrl-V makes the next key text. */
import { type FakeStream, fakeStream } from "./fake-stream.ts";

export interface EditorDevice {
  readonly stream: FakeStream;
  /** The lines as the device stores them. */
  readonly lines: string[];
}

export interface EditorDeviceOptions {
  /** The key before a key that is text; absent: there is none. */
  readonly quote?: string;
  /** Types a question mark. */
  readonly mark?: string;
  /** Keys without an effect. */
  readonly drops?: string;
}

export function editorDevice({ quote, mark, drops = "" }: EditorDeviceOptions): EditorDevice {
  const lines: string[] = [];
  let prompt = "R1#";
  let line = "";
  let quoted = false;
  const stream = fakeStream((text) => {
    for (const key of text) press(key);
  });
  function press(key: string): void {
    if (key === quote && !quoted) {
      quoted = true;
      return;
    }
    if (quoted || (key >= " " && key !== "?" && !drops.includes(key))) add(key);
    else if (key === mark) add("?");
    else if (key === "?") stream.feed(`?\r\n  LINE    <cr>\r\n\r\n${prompt}${line}`);
    else if (key === "\n") enter();
    quoted = false;
  }
  function add(key: string): void {
    line += key;
    stream.feed(key);
  }
  function enter(): void {
    lines.push(line);
    if (line === "configure terminal") prompt = "R1(config)#";
    if (line === "end") prompt = "R1#";
    const rows = line.startsWith("show ") ? `rows of ${line}\r\n` : "";
    line = "";
    stream.feed(`\r\n${rows}${prompt}`);
  }
  stream.feed(prompt);
  return { stream, lines };
}
