/**
 * Texts of devices, and of others who are not trusted, as data for a model: what cannot be seen is shown as an escape,
 * and everything has a length. Pure.
 */

/** Controls but tab and line feed; format, private, unassigned and invisible characters; separators of lines. */
const unseen = /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{DI}]/gu;

/** A line feed ends lines, whatever the device ended them with. */
export function escaped(text: string): string {
  return text.replace(/\r+\n/g, "\n").replace(unseen, escapeOf);
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** For a sentence: in one line. */
export function escapedLine(text: string, most = 300): string {
  const line = escaped(text.slice(0, most * 2)).replace(/[\n\t]+/g, " ");
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

export interface CutText {
  readonly text: string;
  /** Length of the whole, if this is not all of it. */
  readonly cut_from?: number;
}

/** The first part of a text, escaped. */
export function cutText(text: string, most: number): CutText {
  if (text.length <= most) return { text: escaped(text) };
  // Not within a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? "") ? most - 1 : most;
  return { text: escaped(text.slice(0, end)), cut_from: text.length };
}

const mostDepth = 24;

/** Every text of a value, names of members too; what lies too deep is left out. */
export function escapedData(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return escaped(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= mostDepth) return "…";
  if (Array.isArray(value)) return value.map((one: unknown) => escapedData(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [escaped(name), escapedData(one, depth + 1)]),
  );
}
