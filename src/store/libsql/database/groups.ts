/**
 * Splits rows into groups of a few fixed sizes. A multi-row statement has a different text for each number of rows, and
 * each text is prepared and cached separately; one for 50 new jobs takes half a MB outside the heap. With arbitrary
 * sizes, a service would keep preparing new statements, and growing, for hours.
 */
const sizes = [32, 24, 16, 12, 8, 6, 4, 3, 2, 1];

/** Keeps the order; no group is larger than `most`. */
export function inGroups<T>(rows: readonly T[], maxSize: number): T[][] {
  const groups: T[][] = [];
  for (let start = 0; start < rows.length; ) {
    const remaining = rows.length - start;
    const size =
      remaining >= maxSize ? maxSize : (sizes.find((candidate) => candidate <= remaining) ?? remaining);
    groups.push(rows.slice(start, start + size));
    start += size;
  }
  return groups;
}
