/** Which columns of a line are the pager's: its text, or blanks that the device painted over it. */

/** What stands in a column; `lateBlank`: one of the pager's rest, which came after its key was pressed. */
export const pagerMark = { text: 0, wiped: 1, pager: 2, lateBlank: 3 } as const;
/** By column. */
export type PagerMarks = number[];

/** The whole line is the pager's. */
export function markPager(line: string): PagerMarks {
  return Array.from({ length: line.length }, () => pagerMark.pager);
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
  /** How many columns are text: counted when that is first asked. */
  let texts: number | undefined;
  for (let i = 0; i < run.length; i++) {
    const at = from + i;
    erases &&= run[i] === " ";
    const before = marks[at] ?? pagerMark.text;
    const ofPager = before === pagerMark.pager || before === pagerMark.lateBlank;
    const wipes = ofPager || (erases && marks[at] === pagerMark.text);
    if (at >= length) texts ??= marks.filter(isText).length;
    const beyond = at >= length && texts === 0;
    const isPainted = run[i] !== " " || !(wipes || beyond);
    // Blanks that wipe come from where the cursor went back to.
    const blank = wipes || erases ? pagerMark.wiped : pagerMark.lateBlank;
    const mark = isPainted ? pagerMark.text : blank;
    if (texts !== undefined) texts += Number(isText(mark)) - Number(isText(marks[at]));
    marks[at] = mark;
  }
  return erases;
}

const isText = (mark: number | undefined) => mark === pagerMark.text;

/** The line without what is the pager's. */
export function withoutPager(line: string, marks: PagerMarks): string {
  let end = line.length;
  while (end > 0 && (marks[end - 1] ?? pagerMark.text) !== pagerMark.text) end--;
  let text = "";
  for (let at = 0; at < end; at++) {
    if (marks[at] !== pagerMark.pager) text += line[at];
  }
  return text;
}
