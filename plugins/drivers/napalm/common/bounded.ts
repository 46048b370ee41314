/** Answers in a form whose reading takes time in proportion to their length, whatever a device says. */

/** Longer than any line of a table. */
const longestLine = 4096;
const mostBlankLines = 20;

/** Long lines are cut, lines of blanks are empty, and many empty ones are a few. */
export function boundedText(text: string): string {
  if (isBounded(text)) return text;
  const kept: string[] = [];
  let blanks = 0;
  for (const line of text.split("\n")) {
    const short = line.length > longestLine ? line.slice(0, longestLine) : line;
    const isBlank = short.trim() === "";
    blanks = isBlank ? blanks + 1 : 0;
    if (blanks <= mostBlankLines) kept.push(isBlank ? "" : short);
  }
  return kept.join("\n");
}

/** Nearly every answer is: it is not taken apart to see that. */
function isBounded(text: string): boolean {
  let blanks = 0;
  for (let start = 0; start <= text.length; ) {
    const lineFeed = text.indexOf("\n", start);
    const end = lineFeed < 0 ? text.length : lineFeed;
    if (end - start > longestLine) return false;
    const isEmpty = end === start;
    if (!isEmpty && isBlankLine(text, start, end)) return false;
    blanks = isEmpty ? blanks + 1 : 0;
    if (blanks > mostBlankLines) return false;
    start = end + 1;
  }
  return true;
}

/** Whether there is nothing but blanks, or what may be one. */
function isBlankLine(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x20 && code < 0x7f) return false;
    if (code !== 0x20 && code !== 0x09) return text.slice(at, end).trim() === "";
  }
  return true;
}
