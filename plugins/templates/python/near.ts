/** Suggestions for a mistyped name, appended to error messages. */
import { nearNames } from "patchbay/plugin";

const shownNames = 3;
/** Excludes long names that contain the mistyped one by chance. */
const maxLetters = 3;

/** Returns `: did you mean to_int?`, or an empty string. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const near = suggestions(name, candidates);
  return near === "" ? "" : `: did you mean ${near}?`;
}

/** The same, after a complete sentence. */
export function didYouMeanThen(name: string, candidates: Iterable<string>): string {
  const near = suggestions(name, candidates);
  return near === "" ? "" : ` Did you mean ${near}?`;
}

function suggestions(name: string, candidates: Iterable<string>): string {
  // Transposed letters are the most common typo.
  const letters = sortedLetters(name);
  const swapped = (other: string) => (sortedLetters(other) === letters ? 0 : 1);
  return nearNames(name, candidates, 2 * shownNames)
    .filter((other) => Math.abs(other.length - name.length) <= maxLetters)
    .sort((a, b) => swapped(a) - swapped(b))
    .slice(0, shownNames)
    .join(", ");
}

function sortedLetters(name: string): string {
  return Array.from(name).sort().join("");
}
