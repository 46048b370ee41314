/** Strips the echo of a command and the prompt from the output of a device. */
import type { Found, Prompt } from "../prompt/prompt.ts";

/**
 * Offset of the text after the echoed command; undefined if there is no echo. Ignores whitespace, so a wrapped echo
 * matches too, and skips the rest of the echo's line.
 */
export function afterEcho(text: string, command: string): number | undefined {
  const trimmed = command.trim();
  if (trimmed === "")
    return /^[ \t]*\n/.exec(text)?.[0].length ?? (text.trim() === "" ? text.length : undefined);
  let at = 0;
  for (let j = 0; j < trimmed.length; ) {
    while (isBlank(text.charCodeAt(at))) at++;
    while (isBlank(trimmed.charCodeAt(j))) j++;
    if (text[at] !== trimmed[j]) return undefined;
    at++;
    j++;
  }
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/** Length of a second echo of the command, on a line of its own behind the first one; 0 if there is none. */
export function repeatedEcho(text: string, from: number, command: string): number {
  const end = text.indexOf("\n", from);
  return from > 0 && end >= 0 && text.slice(from, end).trim() === command.trim() ? end + 1 - from : 0;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * Like `afterEcho`, but also finds an echo that the device completed (`dis ver` to `display version`) or repainted, and
 * one that follows late output and another prompt.
 */
export function findEcho(
  start: string,
  head: string,
  command: string,
  currentPrompt: Prompt | undefined,
): number | undefined {
  const plain = afterEcho(start, command);
  if (plain !== undefined) return plain;
  const end = start.indexOf("\n");
  if (end < 0) return undefined;
  const first = start.slice(0, end);
  if (completes(first, command) || paintedOver(head, command)) return end + 1;
  return behindMessages(start, command) ?? (currentPrompt && behindLateOutput(start, command, currentPrompt));
}

/** Fewer common characters do not show that a line is an echo at all. */
export const leastCommon = 4;

export function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** Whether a line begins like the typed one, and is not the late echo of one of those before. */
export function resembles(line: string, typed: string, before: readonly string[]): boolean {
  const [is, should] = [unspaced(line), unspaced(typed)];
  return (
    is !== "" &&
    commonStart(is, should) >= Math.min(leastCommon, should.length) &&
    !before.some((earlier) => unspaced(earlier) === is)
  );
}

const unspaced = (text: string) => text.replace(/\s+/g, "");

/** A syslog message on a terminal that receives them; not part of any answer. */
export const systemMessage =
  /%%?\d*[A-Z][\w-]*[-/]\d[-/]\w+|^\W{0,3}(?:[A-Z][a-z]{2} +\d|\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d)/;

/** On a console, a syslog message may follow the prompt, which is then not repeated. */
function behindMessages(start: string, command: string): number | undefined {
  if (command.trim() === "") return undefined;
  let from = 0;
  for (let end = start.indexOf("\n"); end >= 0; end = start.indexOf("\n", from)) {
    const line = start.slice(from, end);
    if (line.trim() !== "" && !systemMessage.test(line)) break;
    from = end + 1;
  }
  const echo = from === 0 ? undefined : afterEcho(start.slice(from), command);
  return echo === undefined || !start.slice(from, from + echo).includes("\n") ? undefined : from + echo;
}

/** No device scrolls a line shorter than this. */
const scrolledFrom = 20;

function completes(line: string, command: string): boolean {
  const typed = command.trim().split(/\s+/);
  const echoedWords = line.trim().split(/\s+/);
  return typed.length === echoedWords.length && typed.every((word, at) => echoedWords[at]?.startsWith(word));
}

/** The typed characters come back in order even if the line editor wraps and repaints in between. */
function paintedOver(head: string, command: string): boolean {
  const typed = command.replace(/\s+/g, "");
  const end = head.indexOf("\n");
  const sent = (end < 0 ? head : head.slice(0, end)).replace(
    /\x1b\[[0-9;?]*[@-~]|\x1b[@-Z\\-_]|[\x00-\x20\x7f]+/g,
    "",
  );
  if (typed !== "" && sent.startsWith(typed)) return true;
  // IOS scrolls a line longer than the screen: it echoes the beginning, then backspaces and the shifted text.
  const painted = /[\b\r\x1b]/.test(head.slice(0, end < 0 ? undefined : end).trimEnd());
  return painted && typed.length > scrolledFrom && sent.startsWith(typed.slice(0, scrolledFrom));
}

function behindLateOutput(start: string, command: string, currentPrompt: Prompt): number | undefined {
  const line = currentPrompt.text.slice(currentPrompt.text.lastIndexOf("\n") + 1);
  let from = 0;
  for (;;) {
    const at = start.indexOf(line, from);
    if (at < 0) return undefined;
    const afterPrompt = at + line.length;
    if (at === 0 || start[at - 1] === "\n") {
      const end = start.indexOf("\n", afterPrompt);
      const rest = start.slice(afterPrompt, end < 0 ? start.length : end);
      const echo = command.trim() === "" ? undefined : afterEcho(rest, command);
      if (echo !== undefined && end >= 0) return end + 1;
    }
    from = afterPrompt;
  }
}

/** The text without the prompt at its end: drops the prompt's lines; cuts off a glued prompt. */
export function withoutPrompt(text: string, { prompt, glued }: Found): string {
  if (glued) {
    const trimmed = text.trimEnd();
    return trimmed.endsWith(prompt.text) ? trimmed.slice(0, -prompt.text.length) : text;
  }
  let end = text.length;
  for (let line = 0; line < prompt.lines; line++) {
    end = text.lastIndexOf("\n", end - 1);
    if (end < 0) return "";
  }
  return text.slice(0, end);
}
