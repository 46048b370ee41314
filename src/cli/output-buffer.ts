/** The text of one answer as it grows: joined and folded only when somebody asks, and then once. */

const tailChars = 4096;
export const headChars = 8192;

export interface OutputBuffer {
  /** Adds lines that have ended, as the cleaner gives them. */
  keep(done: string): void;
  /** Begins anew behind what stands on the unfinished line. */
  mark(): void;
  /** Of those that came at once, two are counted. */
  lines(): number;
  /** All of it, the unfinished line included. */
  text(): string;
  /** The first KiB of it. */
  start(): string;
  /** The last lines, at most some KiB. */
  tail(): string;
  /** Something was typed at the unfinished line: what follows its line end is new. */
  replied(): void;
  /** The text behind that line end, at most some KiB; undefined while there is none. */
  sinceReply(): string | undefined;
  /** Does now what `text` would have to do. */
  prepare(): void;
}

/** Line ends without the returns before them. */
export function folded(text: string): string {
  // Nearly always one return stands there: a search for texts is several times as fast as one for patterns.
  return text.includes("\r\r\n") ? text.replace(/\r+(?=\n)/g, "") : text.replaceAll("\r\n", "\n");
}

/** @param line the unfinished last line */
export function createOutputBuffer(line: () => string): OutputBuffer {
  let text = "";
  /** What came since `text` was asked for; its line ends are not folded yet. */
  let parts: string[] = [];
  let leftover = "";
  let lines = 0;
  let reply: { behind: string; ended: boolean } | undefined;

  function unfinished(): string {
    const last = line();
    return leftover !== "" && last.startsWith(leftover) ? last.slice(leftover.length) : last;
  }

  function prepare(): void {
    for (const part of parts) text += folded(part);
    if (parts.length > 0) parts = [];
  }

  return {
    prepare,
    lines: () => lines,
    replied() {
      reply = { behind: "", ended: false };
    },
    sinceReply: () => (reply?.ended ? folded(reply.behind) + line() : undefined),
    keep(done) {
      if (reply !== undefined) follow(reply, done);
      parts.push(leftover !== "" && done.startsWith(leftover) ? done.slice(leftover.length) : done);
      leftover = "";
      const first = done.indexOf("\n");
      if (first >= 0) lines += done.indexOf("\n", first + 1) < 0 ? 1 : 2;
    },
    mark() {
      text = "";
      parts = [];
      lines = 0;
      leftover = line();
      reply = undefined;
    },
    text() {
      prepare();
      return text + unfinished();
    },
    start() {
      let first = text.slice(0, headChars);
      let whole = first.length === text.length;
      for (let at = 0; at < parts.length && whole; at++) {
        const part = parts[at] ?? "";
        first += folded(part.slice(0, headChars));
        whole = part.length <= headChars && first.length < headChars;
      }
      return whole ? first + unfinished() : first.slice(0, headChars);
    },
    tail() {
      let last = "";
      for (let at = parts.length - 1; at >= 0 && last.length < tailChars; at--) {
        last = (parts[at] ?? "").slice(last.length - tailChars) + last;
      }
      if (last.length < tailChars) last = text.slice(last.length - tailChars) + last;
      return (folded(last) + line()).slice(-tailChars);
    },
  };
}

function follow(reply: { behind: string; ended: boolean }, done: string): void {
  const end = reply.ended ? 0 : done.indexOf("\n") + 1;
  if (!reply.ended && end === 0) return;
  reply.behind = (reply.behind + done.slice(end)).slice(-tailChars);
  reply.ended = true;
}
