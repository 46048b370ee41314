/** Normalizes device output so that parsing takes linear time. */

/** Longer than any line of a table. */
const maxLineLength = 4096;
const maxBlankLines = 20;

/** Truncates long lines, empties blank ones and collapses runs of empty lines. */
export function boundedText(text: string): string {
  if (isBounded(text)) return text;
  const boundedLines: string[] = [];
  let blanks = 0;
  for (const line of text.split("\n")) {
    const short = line.length > maxLineLength ? line.slice(0, maxLineLength) : line;
    const isBlank = short.trim() === "";
    blanks = isBlank ? blanks + 1 : 0;
    if (blanks <= maxBlankLines) boundedLines.push(isBlank ? "" : short);
  }
  return boundedLines.join("\n");
}

/** Nearly every answer is already bounded; this checks it without splitting the text. */
function isBounded(text: string): boolean {
  let blanks = 0;
  for (let start = 0; start <= text.length; ) {
    const lineFeed = text.indexOf("\n", start);
    const end = lineFeed < 0 ? text.length : lineFeed;
    if (end - start > maxLineLength) return false;
    const isEmpty = end === start;
    if (!isEmpty && isBlankLine(text, start, end)) return false;
    blanks = isEmpty ? blanks + 1 : 0;
    if (blanks > maxBlankLines) return false;
    start = end + 1;
  }
  return true;
}

/** Whether the range contains only characters that may be blank. */
function isBlankLine(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x20 && code < 0x7f) return false;
    if (code !== 0x20 && code !== 0x09) return text.slice(at, end).trim() === "";
  }
  return true;
}
