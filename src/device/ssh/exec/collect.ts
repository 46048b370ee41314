/** Collects the bytes of one stream up to a limit; beyond it keeps the head and the tail. */
import { StringDecoder } from "node:string_decoder";
import { createPromptTail, type PromptTail } from "./prompt-tail.ts";

export interface Collector {
  /** Returns false once the limit is exceeded. */
  add(chunk: Buffer): boolean;
  /**
   * Removes a match of the pattern from the newest data; returns whether there was one.
   * @param after also removes a line end that follows, or what this pattern matches there
   */
  cut(pattern: RegExp, after: boolean | RegExp): boolean;
  /** Default: UTF-8. */
  text(encoding?: "utf8" | "latin1"): string;
  /** Whether data was dropped, if truncation is allowed. */
  truncated(): boolean;
}

const lineEnd = [0x0d, 0x0a] as const;
/** How far back a prompt is searched. */
const windowBytes = 4096;
/** What an error keeps of oversized output. */
const headBytes = 1024 * 1024;
const tailBytes = 64 * 1024;

/** @param truncate drops data beyond the limit and keeps everything before it */
export function createCollector(maxBytes: number, truncate = false): Collector {
  const chunks: Buffer[] = [];
  let size = 0;
  let isOver = false;
  /** Bytes of a line end still to be removed. */
  let unwanted: readonly number[] = [];
  /** Text behind a prompt, of which a part may still be removed. */
  let tail: PromptTail | undefined;

  const withoutLineEnd = (chunk: Buffer): Buffer => {
    let start = 0;
    while (unwanted.length > 0 && start < chunk.length) {
      const at = unwanted.indexOf(chunk[start] ?? -1);
      unwanted = at === -1 ? [] : unwanted.slice(at + 1);
      if (at !== -1) start++;
    }
    return chunk.subarray(start);
  };
  const behindTail = (held: PromptTail, chunk: Buffer): Buffer => {
    const text = held.push(chunk.toString("latin1"));
    if (text !== undefined) tail = undefined;
    return Buffer.from(text ?? "", "latin1");
  };
  /** Joins the last chunks up to the window into one, so that a search costs the same regardless of the total size. */
  const takeTail = (): Buffer => {
    let first = chunks.length;
    for (let bytes = 0; first > 0 && bytes < windowBytes; ) bytes += chunks[--first]?.length ?? 0;
    const tail = Buffer.concat(chunks.splice(first));
    chunks.push(tail);
    return tail;
  };
  return {
    add(received) {
      if (isOver) return truncate;
      const wanted = unwanted.length > 0 ? withoutLineEnd(received) : received;
      const chunk = tail === undefined ? wanted : behindTail(tail, wanted);
      isOver = size + chunk.length > maxBytes;
      const bytes = truncate ? chunk.subarray(0, maxBytes - size) : chunk;
      chunks.push(bytes);
      size += bytes.length;
      return truncate || !isOver;
    },
    cut(pattern, after) {
      const newest = takeTail();
      const text = newest.toString("latin1");
      const match = pattern.exec(text);
      if (!match) return false;
      const behind = Buffer.from(text.slice(match.index + match[0].length), "latin1");
      if (after === true) unwanted = lineEnd;
      if (after instanceof RegExp) tail = createPromptTail(after);
      const wanted = tail === undefined ? withoutLineEnd(behind) : behindTail(tail, behind);
      const rest = Buffer.concat([Buffer.from(text.slice(0, match.index), "latin1"), wanted]);
      chunks[chunks.length - 1] = rest;
      size += rest.length - newest.length;
      return true;
    },
    text(encoding = "utf8") {
      const bytes = Buffer.concat([...chunks, Buffer.from(tail?.end() ?? "", "latin1")]);
      if (encoding === "latin1") return bytes.toString("latin1");
      // Drops a character that was cut in two.
      if (isOver && truncate) return new StringDecoder("utf8").write(bytes);
      if (!isOver || bytes.length <= headBytes + tailBytes) return bytes.toString("utf8");
      const omitted = bytes.length - headBytes - tailBytes;
      const ending = bytes.toString("utf8", bytes.length - tailBytes);
      return `${bytes.toString("utf8", 0, headBytes)}\n[${omitted} bytes omitted]\n${ending}`;
    },
    truncated: () => isOver && truncate,
  };
}
