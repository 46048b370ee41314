/** Gathers the bytes of one stream up to a limit; of more it keeps the head and the tail. */

export interface Collector {
  /** False when the limit is passed. */
  add(chunk: Buffer): boolean;
  /** Removes what the expression matches in what has come last; tells whether it was there. */
  cut(pattern: RegExp): boolean;
  text(): string;
}

/** How far back a prompt is looked for. */
const windowBytes = 4096;
/** What an error keeps of an output that was too large. */
const headBytes = 1024 * 1024;
const tailBytes = 64 * 1024;

export function createCollector(maxBytes: number): Collector {
  const chunks: Buffer[] = [];
  let size = 0;
  let isOver = false;

  /** Joins the last chunks up to the window into one, so that looking costs the same however much has come. */
  const takeTail = (): Buffer => {
    let first = chunks.length;
    for (let bytes = 0; first > 0 && bytes < windowBytes; ) bytes += chunks[--first]?.length ?? 0;
    const tail = Buffer.concat(chunks.splice(first));
    chunks.push(tail);
    return tail;
  };
  return {
    add(chunk) {
      if (isOver) return false;
      chunks.push(chunk);
      size += chunk.length;
      isOver = size > maxBytes;
      return !isOver;
    },
    cut(pattern) {
      const tail = takeTail();
      const seen = tail.toString("latin1");
      const match = pattern.exec(seen);
      if (!match) return false;
      const rest = seen.slice(0, match.index) + seen.slice(match.index + match[0].length);
      chunks[chunks.length - 1] = Buffer.from(rest, "latin1");
      size += rest.length - seen.length;
      return true;
    },
    text() {
      const all = Buffer.concat(chunks);
      if (!isOver || all.length <= headBytes + tailBytes) return all.toString("utf8");
      const left = all.length - headBytes - tailBytes;
      const tail = all.toString("utf8", all.length - tailBytes);
      return `${all.toString("utf8", 0, headBytes)}\n[${left} bytes left out]\n${tail}`;
    },
  };
}
