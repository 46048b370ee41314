/** A device whose output pauses where a test says, and which reads what was typed meanwhile only afterwards. */
import { type FakeStream, fakeStream } from "./fake-stream.ts";

/** Text, a pause in milliseconds, a change of the device, or a question whose reply is read as such. */
type Step = string | number | (() => void) | "ask";

export interface PausingOptions {
  readonly prompt: () => string;
  /** `editor`: a line is echoed when it is read. `terminal`: also at once, while a program runs. */
  readonly echoes: "editor" | "terminal";
  /** What a line puts out; any other line puts out one line. */
  readonly outputs: Readonly<Record<string, readonly Step[]>>;
}

export interface PausingDevice {
  readonly stream: FakeStream;
  readonly lines: string[];
  readonly replies: string[];
}

export function pausingDevice({ prompt, echoes, outputs }: PausingOptions): PausingDevice {
  const lines: string[] = [];
  const replies: string[] = [];
  const waiting: string[] = [];
  let typed = "";
  let busy = false;
  let asking = false;

  const put = (text: string) => stream.feed(text.replaceAll("\n", "\r\n"));

  const stream = fakeStream((text) => {
    for (const char of text) {
      if (char !== "\n") typed += char;
      else {
        waiting.push(typed);
        if (busy && echoes === "terminal") put(`${typed}\n`);
        typed = "";
      }
    }
    if (!busy) void read();
  });

  async function read(): Promise<void> {
    busy = true;
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) await run(line);
    busy = false;
  }

  async function run(line: string): Promise<void> {
    if (asking) {
      replies.push(line);
      asking = false;
      return put(`\n${prompt()}`);
    }
    lines.push(line);
    put(`${line}\n`);
    for (const step of outputs[line] ?? (line === "" ? [] : [`output of ${line}\n`])) {
      if (step === "ask") asking = true;
      else if (typeof step === "string") put(step);
      else if (typeof step === "function") step();
      else if (step > 0) await new Promise((resolve) => setTimeout(resolve, step));
    }
    if (!asking) put(prompt());
  }

  put(prompt());
  return { stream, lines, replies };
}
