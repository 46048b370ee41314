/** Texts of devices and servers for a terminal: nothing in them steers it. Control characters show, as `cat -v` shows them. */

/** Controls but tab and line end, those of C1, and the marks that turn the direction of writing. */
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Of several lines; line ends of any kind become one. */
export function shown(text: string): string {
  // The whole run each time: a million returns that end no line would be gone through a million times.
  return text.replace(/\r+\n?/g, (run) => (run.endsWith("\n") ? "\n" : run)).replace(controls, visible);
}

/** By hand: an expression goes through each run of line ends within the text again and again. */
export function withoutLastLineEnds(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

/** In one line: a cell of a table, a file name in a message. */
export function shownLine(text: string): string {
  return shown(text).replace(/\n/g, "⏎").replace(/\t/g, " ");
}

/** To a file or another program as it is; at a terminal nothing in it steers that. */
export function asRead(text: string, { columns }: { readonly columns: number | undefined }): string {
  return columns === undefined ? text : shown(text);
}

/** The same of a text that comes in pieces. */
export async function* shownPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let end = "";
  for await (const piece of pieces) {
    const text = end + decoder.decode(piece, { stream: true });
    // The rest of this line end may be in the next one.
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
