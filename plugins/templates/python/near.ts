/** Suggestions for a mistyped name, appended to error messages. */

const shownNames = 3;
/** Excludes long names that contain the mistyped one by chance. */
const maxLetters = 3;
const longestName = 64;

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
  return nearest(name, candidates)
    .slice(0, 2 * shownNames)
    .filter((other) => Math.abs(other.length - name.length) <= maxLetters)
    .sort((a, b) => swapped(a) - swapped(b))
    .slice(0, shownNames)
    .join(", ");
}

function sortedLetters(name: string): string {
  return Array.from(name).sort().join("");
}

/** The names that are near enough to be meant, best first; among equals the shortest. */
function nearest(name: string, candidates: Iterable<string>): string[] {
  const wanted = plain(name);
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return [...new Set(candidates)]
    .map((text) => ({ text, distance: distance(wanted, plain(text)) }))
    .filter((one) => one.distance <= limit)
    .sort((a, b) => a.distance - b.distance || a.text.length - b.text.length || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text);
}

const plain = (name: string): string =>
  name
    .slice(0, longestName)
    .toLowerCase()
    .replace(/[\s-]+/g, "_");

/** Letters to insert, delete or replace; at most one if the other name has all words of this one. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  const edits = row[b.length] ?? 0;
  const words = b.split("_");
  const contained = a.split("_").every((word) => words.includes(word)) || (a.length >= 3 && b.includes(a));
  return contained ? Math.min(1, edits) : edits;
}
