/** Text for a POSIX shell: words it must not touch. */
import { ServiceError } from "../base/errors.ts";

/** One word, whatever it holds. */
export function shellQuote(word: string): string {
  if (word.includes("\0")) throw new ServiceError("DriverError", "A NUL character cannot be sent to a shell");
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}
