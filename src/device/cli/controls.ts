/** Control characters and escape sequences: which text is printable, and their parameters. */

/**
 * Anything but printable text, tabs and line ends; most output contains none of it. Line ends with many carriage
 * returns are handled one by one, because matching the end from each of them would be quadratic.
 */
const special = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\r{0,8}\n)/;
/** The same for pure ASCII text, in half the time. */
const specialAscii = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\r{0,8}\n)/;
const printable = /[^\x00-\x08\x0a-\x1f\x7f-\x9f]+/y;
/** Longest accepted escape sequence; longer ones are garbage. */
export const maxSequence = 64;
export const maxTitle = 4096;
/** Each one moves to the row above, and no line has that many. */
export const maxReturns = 1024;
const maxOfNumber = 9999;

export function isPlain(text: string, ascii: boolean): boolean {
  return !(ascii ? specialAscii : special).test(text);
}

export function printableAt(text: string, at: number): string | undefined {
  printable.lastIndex = at;
  return printable.exec(text)?.[0];
}

/** The parameters of a control sequence. */
export function numbersOf(text: string): number[] {
  return text.split(";").map((part) => Math.min(Number.parseInt(part, 10) || 0, maxOfNumber));
}
