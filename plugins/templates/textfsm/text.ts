/** Python's ideas of lines and white space. */

const spaces = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const leading = new RegExp(`^[${spaces}]+`);
const trailing = new RegExp(`[${spaces}]+$`);
const blank = new RegExp(`[${spaces}]`);

/** `str.rstrip()`; looks at the last character first, since most lines have nothing to strip. */
export function stripEnd(text: string): string {
  return text !== "" && blank.test(text.charAt(text.length - 1)) ? text.replace(trailing, "") : text;
}

/** `str.strip()`. */
export const strip = (text: string): string => stripEnd(text.replace(leading, ""));

const anyLineEnd = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/;
const rareLineEnd = /[\v\f\r\x1c-\x1e\x85\u2028\u2029]/;

/** `str.splitlines()`: a line end at the end of the text begins no further line. */
export function splitLines(text: string): string[] {
  const lines = text.split(rareLineEnd.test(text) ? anyLineEnd : "\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
