/** Tracks which columns of a line belong to the pager: its prompt, or blanks that the device painted over it. */

/**
 * The content of a column. `lateBlank`: a blank over the part of the pager prompt that arrived after the key was
 * pressed.
 */
export const pagerMark = { text: 0, wiped: 1, pager: 2, lateBlank: 3 } as const;
/** Indexed by column. */
export type PagerMarks = number[];

/** Marks the whole line as pager. */
export function markPager(line: string): PagerMarks {
  return Array.from({ length: line.length }, () => pagerMark.pager);
}

/**
 * Marks text painted from a column on.
 * @param erasing the cursor moved back to the pager: blanks painted now erase the part of it that arrived late
 * @returns whether it still erases: a wipe may exceed the pager; text painted a second time is output
 */
export function paintOver(
  marks: PagerMarks,
  { run, from, length, erasing }: { run: string; from: number; length: number; erasing: boolean },
): boolean {
  let erases = erasing;
  /** Number of text columns, counted on first use. */
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
    // Blanks that wipe start where the cursor moved back to.
    const blank = wipes || erases ? pagerMark.wiped : pagerMark.lateBlank;
    const mark = isPainted ? pagerMark.text : blank;
    if (texts !== undefined) texts += Number(isText(mark)) - Number(isText(marks[at]));
    marks[at] = mark;
  }
  return erases;
}

const isText = (mark: number | undefined) => mark === pagerMark.text;

/** The line without the columns of the pager. */
export function withoutPager(line: string, marks: PagerMarks): string {
  let end = line.length;
  while (end > 0 && (marks[end - 1] ?? pagerMark.text) !== pagerMark.text) end--;
  let text = "";
  for (let at = 0; at < end; at++) {
    if (marks[at] !== pagerMark.pager) text += line[at];
  }
  return text;
}
