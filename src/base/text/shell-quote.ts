/** Quotes words for the shell of a server, whose kind is unknown: sh, csh and fish read the result alike. */
import { ServiceError } from "../errors.ts";

/** Without a meaning in any shell, wherever they stand in a word. */
const plain = /^[\w+:,./-]+$/;

/**
 * Quotes one word, whatever it contains. Between single quotes fish reads a backslash and csh an exclamation mark
 * differently from sh, so these stand outside. Only csh cannot read a line end in a word.
 */
export function shellQuote(word: string): string {
  if (word.includes("\0")) throw new ServiceError("DriverError", "A NUL character cannot be sent to a shell");
  if (plain.test(word)) return word;
  const parts = word.split(/(['\\!])/).filter((part) => part !== "");
  if (parts.length === 0) return "''";
  return parts.map((part) => (/^['\\!]$/.test(part) ? `\\${part}` : `'${part}'`)).join("");
}
