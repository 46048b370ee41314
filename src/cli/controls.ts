/** What of a text is printable, and what controls and escape sequences say. */

/**
 * All but printable text, tabs and line ends: what most output has nothing of. A line end with more returns than a few is
 * looked at one by one: to look for its end from each of them would take their square.
 */
const special = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\r{0,8}\n)/;
/** The same of text that is all ASCII, in half the time. */
const specialAscii = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\r{0,8}\n)/;
const printable = /[^\x00-\x08\x0a-\x1f\x7f-\x9f]+/y;
/** Longest escape sequence that is believed; longer ones are garbage. */
export const longestSequence = 64;
export const longestTitle = 4096;
/** Each leads to the row above, and no line has so many. */
export const mostReturns = 1024;
const mostOfNumber = 9999;

export function isPlain(text: string, ascii: boolean): boolean {
  return !(ascii ? specialAscii : special).test(text);
}

export function printableAt(text: string, at: number): string | undefined {
  printable.lastIndex = at;
  return printable.exec(text)?.[0];
}

/** The parameters of a control sequence. */
export function numbersOf(text: string): number[] {
  return text.split(";").map((part) => Math.min(Number.parseInt(part, 10) || 0, mostOfNumber));
}
