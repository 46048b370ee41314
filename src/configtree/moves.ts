/** Puts names into an order by moving as few of them as possible. */

export interface Move {
  readonly name: string;
  /** Its new neighbour. */
  readonly other: string;
  readonly where: "before" | "after";
}

/** Both have the same names, each once. Moves are done one after the other. */
export function movesBetween(current: readonly string[], wanted: readonly string[]): Move[] {
  const places = new Map(current.map((name, at) => [name, at]));
  const kept = longestRising(wanted.map((name) => places.get(name) ?? -1));
  return wanted.flatMap((name, at): readonly Move[] => {
    if (kept.has(at)) return [];
    const [before, behind] = [wanted[at - 1], wanted[at + 1]];
    if (before !== undefined) return [{ name, other: before, where: "after" }];
    // Before the first of those that stay, and so before all that come to stand behind that one.
    const first = wanted.find((_, other) => kept.has(other)) ?? behind;
    return first === undefined ? [] : [{ name, other: first, where: "before" }];
  });
}

/** Positions of a longest rising sequence. */
function longestRising(values: readonly number[]): ReadonlySet<number> {
  /** By length, the position of the smallest value that ends a sequence. */
  const ends: number[] = [];
  const before: number[] = [];
  for (const [at, value] of values.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    before[at] = ends[low - 1] ?? -1;
    ends[low] = at;
  }
  const found = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) found.add(at);
  return found;
}
