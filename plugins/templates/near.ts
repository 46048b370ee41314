/** Suggestions for a mistyped name, appended to error messages. */
import { nearNames } from "patchbay/plugin";

const shownNames = 3;
/** Excludes long names that contain the mistyped one by chance. */
const maxLetters = 3;

/** Returns `: did you mean to_int?`, or an empty string. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = meant(name, known);
  return near === "" ? "" : `: did you mean ${near}?`;
}

/** The same, after a complete sentence. */
export function didYouMeanThen(name: string, known: Iterable<string>): string {
  const near = meant(name, known);
  return near === "" ? "" : ` Did you mean ${near}?`;
}

function meant(name: string, known: Iterable<string>): string {
  // Transposed letters are the most common typo.
  const letters = sortedLetters(name);
  const swapped = (other: string) => (sortedLetters(other) === letters ? 0 : 1);
  return nearNames(name, known, 2 * shownNames)
    .filter((other) => Math.abs(other.length - name.length) <= maxLetters)
    .sort((a, b) => swapped(a) - swapped(b))
    .slice(0, shownNames)
    .join(", ");
}

function sortedLetters(name: string): string {
  return Array.from(name).sort().join("");
}
