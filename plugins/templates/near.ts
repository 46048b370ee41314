/** What a mistyped name of a template may have meant, as the end of a message. */
import { nearNames } from "patchbay/plugin";

const shownNames = 3;
/** Long names that hold the mistyped one by chance are left out. */
const mostLetters = 3;

/** `: did you mean to_int?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = meant(name, known);
  return near === "" ? "" : `: did you mean ${near}?`;
}

/** The same behind a sentence that has ended. */
export function didYouMeanThen(name: string, known: Iterable<string>): string {
  const near = meant(name, known);
  return near === "" ? "" : ` Did you mean ${near}?`;
}

function meant(name: string, known: Iterable<string>): string {
  // Letters that changed places are the commonest slip.
  const letters = sortedLetters(name);
  const swapped = (other: string) => (sortedLetters(other) === letters ? 0 : 1);
  return nearNames(name, known, 2 * shownNames)
    .filter((other) => Math.abs(other.length - name.length) <= mostLetters)
    .sort((a, b) => swapped(a) - swapped(b))
    .slice(0, shownNames)
    .join(", ");
}

function sortedLetters(name: string): string {
  return Array.from(name).sort().join("");
}
