/** Devices with scripted reactions to lines, or with questions before the first prompt. */
import { plainMs } from "./fake-device.ts";
import { fakeStream } from "./fake-stream.ts";

/** Reaction to a line: the new prompt, and output before it. */
type Reaction = string | { readonly says: string; readonly prompt?: string };

/** A device that shows a prompt after every line; `lines` defines special reactions. */
export function deviceWith(first: string, reactions: Readonly<Record<string, Reaction>> = {}) {
  let prompt = first;
  const lines: string[] = [];
  const stream = fakeStream((text) => {
    for (const line of text.split("\n").slice(0, -1)) {
      lines.push(line);
      const reaction = reactions[line];
      const { says = "", prompt: next } =
        typeof reaction === "string" ? { prompt: reaction } : (reaction ?? {});
      prompt = next ?? prompt;
      stream.feed(`${line}\r\n${says.replaceAll("\n", "\r\n")}${prompt}`);
    }
  });
  stream.feed(first);
  return { stream, lines };
}

export interface ScriptedLogin {
  readonly thinksMs: number;
  /** Asked in order; the second one without echo. */
  readonly asks: readonly string[];
  readonly accepts: readonly string[];
  readonly prompt: string;
  /** Printed first, with a pause after each. */
  readonly greeting?: readonly string[];
}

/**
 * A device that asks questions before its first prompt and then accepts any line. A wrong answer restarts the
 * questions.
 */
export function scriptedDevice({ thinksMs, asks, accepts, prompt, greeting = [] }: ScriptedLogin) {
  const lines: string[] = [];
  const answers: string[] = [];
  let typed = "";
  const stream = fakeStream((text) => {
    for (const char of text) {
      if (char !== "\n" && char !== "\r") typed += char;
      else {
        enter(typed);
        typed = "";
      }
    }
  });
  function enter(line: string): void {
    lines.push(line);
    const hidden = answers.length === 1;
    stream.feed(`${hidden ? "" : line}\r\n`);
    if (answers.length < asks.length) answers.push(line);
    setTimeout(proceed, lines.length > asks.length ? Math.min(plainMs, thinksMs) : thinksMs);
  }
  function proceed(): void {
    const next = asks[answers.length];
    if (next !== undefined) stream.feed(next);
    else if (answers.every((line, at) => line === accepts[at])) stream.feed(prompt);
    else {
      answers.length = 0;
      stream.feed(`Authentication failed\r\n${asks[0]}`);
    }
  }
  for (const [at, text] of [...greeting, asks[0] ?? prompt].entries()) {
    if (at === 0) stream.feed(text);
    else setTimeout(() => stream.feed(text), at * 60);
  }
  return { stream, lines };
}
