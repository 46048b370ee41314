/**
 * Many rows as groups of few sizes: a statement of rows has a text for each number of them, each is prepared for itself
 * and kept, and one of 50 new jobs takes half a MB outside of the heap. Were every number taken as it comes, a service would
 * meet new ones, and grow, for hours.
 */
const sizes = [32, 24, 16, 12, 8, 6, 4, 3, 2, 1];

/** In order, none larger than `most`. */
export function inGroups<T>(rows: readonly T[], most: number): T[][] {
  const groups: T[][] = [];
  for (let start = 0; start < rows.length; ) {
    const left = rows.length - start;
    const size = left >= most ? most : (sizes.find((one) => one <= left) ?? left);
    groups.push(rows.slice(start, start + size));
    start += size;
  }
  return groups;
}
