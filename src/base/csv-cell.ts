/** One cell of comma-separated values (RFC 4180) that no spreadsheet computes. */

/** With one of these at its beginning a cell is a formula; to some spreadsheets also with those of full width. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** What would be a formula begins with an apostrophe. */
export function csvCell(text: string): string {
  const plain = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
