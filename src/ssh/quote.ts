/** Quotes text for a POSIX shell. */
import { ServiceError } from "../base/errors.ts";

/** Quotes one word, whatever it contains. */
export function shellQuote(word: string): string {
  if (word.includes("\0")) throw new ServiceError("DriverError", "A NUL character cannot be sent to a shell");
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
