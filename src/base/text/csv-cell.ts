/** Escapes a CSV cell (RFC 4180) so that no spreadsheet evaluates it as a formula. */

/** A cell that begins with one of these is a formula; some spreadsheets also accept the full-width forms. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A cell that would be a formula is prefixed with an apostrophe. */
export function csvCell(text: string): string {
  const plain = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
