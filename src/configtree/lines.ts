/** The lines of a text, exactly: joined again they are the text. */

/** Stands behind a last line that no line end closes, as in git's format. */
export const openEnd = "\n\\ No newline at end of file";

/**
 * Lines without their "\n" (a "\r" before it stays); an open last line carries {@link openEnd}, so that it differs from
 * the same line with an end. An empty text has none.
 */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  if (last !== "") lines.push(last + openEnd);
  return lines;
}

/** The same line with an end. */
export function closedLine(line: string): string {
  return line.endsWith(openEnd) ? line.slice(0, -openEnd.length) : line;
}

/** A line as it is shown: without its line end. */
export function shownLine(line: string): string {
  const closed = closedLine(line);
  return closed.endsWith("\r") ? closed.slice(0, -1) : closed;
}

/** The text of {@link linesOf}. */
export function textOfLines(lines: readonly string[]): string {
  const last = lines.at(-1);
  if (last === undefined) return "";
  const text = lines.join("\n");
  return last.endsWith(openEnd) ? text.slice(0, -openEnd.length) : `${text}\n`;
}
