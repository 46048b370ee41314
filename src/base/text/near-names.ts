/** Suggests names that a mistyped name may have meant, for error messages. */

/** The nearest of `names`, best first; empty if nothing is near. */
export function nearNames(name: string, names: Iterable<string>, count = 5): string[] {
  const plainName = plain(name);
  const limit = Math.max(2, Math.floor(plainName.length / 3));
  return (
    [...new Set(names)]
      .map((candidate) => ({ candidate, distance: editDistance(plainName, plain(candidate)) }))
      .filter(({ distance }) => distance <= limit)
      // Among equals the shortest: of `cisco`, the systems rather than their variants.
      .sort(
        (a, b) =>
          a.distance - b.distance ||
          a.candidate.length - b.candidate.length ||
          (a.candidate < b.candidate ? -1 : 1),
      )
      .slice(0, count)
      .map(({ candidate }) => candidate)
  );
}

/** `Cisco-IOS` and `cisco_ios` compare as equal. */
function plain(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
}

/** Edit distance; a name that contains all words of the other counts as near, whatever its length. */
function editDistance(a: string, b: string): number {
  const words = new Set(b.split("_"));
  const shared = a.split("_").every((word) => words.has(word)) || (a.length >= 3 && b.includes(a));
  return shared ? Math.min(1, edits(a, b)) : edits(a, b);
}

/** Letters to insert, delete or replace. */
export function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const fewNames = 12;

/** The end of a sentence about an unknown name: the similar ones, or all of a few known. */
export function suggestion(name: string, names: readonly string[]): string {
  const similar = nearNames(name, names);
  if (similar.length > 0) return ` Did you mean ${similar.join(", ")}?`;
  return names.length > 0 && names.length <= fewNames ? ` Known: ${names.join(", ")}.` : "";
}
