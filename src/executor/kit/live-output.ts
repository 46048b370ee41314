/** Streams device output of a running task to watchers, masked, without control characters, and throttled. */
import type { TaskMask } from "../masking.ts";

export interface LiveOutput {
  push(text: string): void;
  /** The task has ended: sends the rest. If nothing was sent before, watchers read the result. */
  end(): void;
}

const pauseMs = 100;
/** Output above this limit per interval is dropped: no one can read that fast. */
const maxChars = 64 * 1024;
/** An escape sequence longer than this is invalid. */
const maxSequenceLength = 256;

/**
 * @param send receives pieces that never end within a secret.
 * @param whole also the output of a task that ends before its first piece, as the dialogue of a push is kept
 */
export function createLiveOutput(
  mask: Pick<TaskMask, "text" | "unfinished">,
  send: (text: string) => void,
  whole = false,
): LiveOutput {
  let parts: string[] = [];
  let chars = 0;
  let leftOut = 0;
  /** Characters were omitted, and no line has begun since. */
  let inGap = false;
  /** The characters of this interval end where others were omitted. */
  let hasCut = false;
  /** Held back: may be the beginning of a secret or of an escape sequence. */
  let held = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let seen = false;
  let over = false;

  function flush(last: boolean): void {
    timer = undefined;
    const isCut = hasCut;
    hasCut = false;
    const all = held + parts.join("");
    const { text, rest } = cleaned(isCut ? wholeLines(all) : all, last);
    const kept = last && !isCut ? 0 : mask.unfinished(text);
    const piece = mask.text(text.slice(0, text.length - kept));
    held = isCut ? "" : text.slice(text.length - kept) + rest;
    const note = leftOut === 0 ? "" : `\n[${leftOut} characters omitted]\n`;
    parts = [];
    chars = 0;
    leftOut = 0;
    if (piece === "" && note === "") return;
    seen = true;
    send(piece + note);
  }

  /** Before omitted characters only whole lines are kept: part of a secret would not be recognized. */
  function wholeLines(raw: string): string {
    const end = Math.max(raw.lastIndexOf("\n"), raw.lastIndexOf("\r")) + 1;
    leftOut += raw.length - end;
    return raw.slice(0, end);
  }

  /** After omitted characters the next whole line is the first that is kept. */
  function afterGap(text: string): string {
    if (!inGap) return text;
    const begin = text.search(/[\r\n]/);
    if (begin >= 0) inGap = false;
    const skipped = begin < 0 ? text.length : begin;
    leftOut += skipped;
    return text.slice(skipped);
  }

  return {
    push(pushed) {
      if (over) return;
      const text = afterGap(pushed);
      const room = maxChars - chars;
      if (text.length > room) {
        leftOut += text.length - Math.max(0, room);
        inGap = !/[\r\n]$/.test(text);
        hasCut = true;
      }
      if (room > 0 && text !== "") {
        parts.push(text.slice(0, room));
        chars += Math.min(room, text.length);
      }
      timer ??= setTimeout(flush, pauseMs, false);
    },
    end() {
      over = true;
      clearTimeout(timer);
      if (seen || whole) flush(true);
    },
  };
}

/** Reports progress a few times a second and at the end; values in between are dropped. */
export function createLiveProgress(send: (done: number, total: number) => void) {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (done: number, total: number): void => {
    const now = performance.now();
    if (done < total && now - toldAt < pauseMs) return;
    toldAt = now;
    send(done, total);
  };
}

/** Terminal sequences as defined by ECMA-48: control strings, CSI, and two-character escapes. */
const sequences = /\x1b(?:[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-OQ-WYZ`-~\\])/g;
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Normalizes line ends to `\n`, also where a device overwrites its line; `rest` is an incomplete sequence. */
function cleaned(raw: string, last: boolean): { text: string; rest: string } {
  const plain = raw.replace(sequences, "");
  const started = last ? -1 : plain.indexOf("\x1b", Math.max(0, plain.length - maxSequenceLength));
  const open = started < 0 ? plain.length : started;
  // The meaning of carriage returns depends on what follows; any number of them is one line end.
  let end = open;
  while (!last && plain[end - 1] === "\r") end--;
  const text = plain
    .slice(0, end)
    .replace(/\r+\n?/g, "\n")
    .replace(controls, "");
  return { text, rest: (end < open ? "\r" : "") + plain.slice(open) };
}
