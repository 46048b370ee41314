/** Makes texts of devices and servers safe for a terminal: control characters are shown as by `cat -v`. */

/** C0 controls except tab and newline, C1 controls, and bidirectional marks. */
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** For multi-line text; normalizes line endings. */
export function shown(text: string): string {
  // Matches the whole run: otherwise a long run of returns would be scanned quadratically.
  return text.replace(/\r+\n?/g, (run) => (run.endsWith("\n") ? "\n" : run)).replace(controls, visible);
}

/** A loop, because a regular expression would be quadratic in runs of line endings. */
export function withoutLastLineEnds(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

/** For a single line: a table cell, a file name in a message. */
export function shownLine(text: string): string {
  return shown(text).replace(/\n/g, "⏎").replace(/\t/g, " ");
}

/** Unchanged for files and pipes; made safe for a terminal. */
export function asRead(text: string, { columns }: { readonly columns: number | undefined }): string {
  return columns === undefined ? text : shown(text);
}

/** The same for a stream of pieces. */
export async function* shownPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let end = "";
  for await (const piece of pieces) {
    const text = end + decoder.decode(piece, { stream: true });
    // The line ending may continue in the next piece.
    let at = text.length;
    while (text[at - 1] === "\r") at--;
    end = text.slice(at);
    yield shown(text.slice(0, at));
  }
  yield shown(end + decoder.decode());
}

function visible(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
  if (code === 0x7f) return "^?";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
