/** Texts of devices and servers for a terminal: nothing in them steers it. Control characters show, as `cat -v` shows them. */

/** Controls but tab and line end, those of C1, and the marks that turn the direction of writing. */
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Of several lines; line ends of any kind become one. */
export function shown(text: string): string {
  return text.replace(/\r+\n/g, "\n").replace(controls, visible);
}

/** In one line: a cell of a table, a file name in a message. */
export function shownLine(text: string): string {
  return shown(text).replace(/\n/g, "⏎").replace(/\t/g, " ");
}

function visible(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
  if (code === 0x7f) return "^?";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
