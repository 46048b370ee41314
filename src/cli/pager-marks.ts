/** Which columns of a line are the pager's: its text, or blanks that the device painted over it. */

/** 3 a blank of its rest that came late, 2 the pager's text, 1 a blank painted over it, 0 text. */
export type PagerMarks = number[];

/** The whole line is the pager's. */
export function markPager(line: string): PagerMarks {
  return Array.from({ length: line.length }, () => 2);
}

/**
 * Marks what is painted from a column on.
 * @param erasing the cursor went back to the pager: what is blanked now is its rest that came late
 * @returns whether it still does: a wipe may reach farther than the pager did; what is painted a second time is output
 */
export function paintOver(
  marks: PagerMarks,
  { run, from, length, erasing }: { run: string; from: number; length: number; erasing: boolean },
): boolean {
  let erases = erasing;
  for (let i = 0; i < run.length; i++) {
    const at = from + i;
    erases &&= run[i] === " ";
    const pager = (marks[at] ?? 0) > 1 || (erases && marks[at] === 0);
    const beyond = at >= length && !marks.includes(0);
    if (run[i] !== " " || !(pager || beyond)) marks[at] = 0;
    // Blanks that wipe come from where the cursor went back to.
    else marks[at] = pager || erases ? 1 : 3;
  }
  return erases;
}

/** The line without what is the pager's. */
export function withoutPager(line: string, marks: PagerMarks): string {
  let end = line.length;
  while (end > 0 && (marks[end - 1] ?? 0) > 0) end--;
  let text = "";
  for (let at = 0; at < end; at++) {
    if (marks[at] !== 2) text += line[at];
  }
  return text;
}
