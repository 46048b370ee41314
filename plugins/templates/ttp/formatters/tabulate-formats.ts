/** The lines and marks of the table formats of Python's tabulate. */

/** First mark, fill, mark between columns, last mark. */
export type Line = readonly [begin: string, fill: string, between: string, end: string];
export type Row = readonly [begin: string, between: string, end: string];

export interface TableFormat {
  readonly above?: Line | "colons" | undefined;
  readonly belowHeader?: Line | "colons" | undefined;
  readonly between?: Line | undefined;
  readonly below?: Line | undefined;
  readonly header: Row;
  readonly row: Row;
  readonly padding: number;
  /** Lines that a table with a header does not have. */
  readonly hidden?: readonly ("above" | "below")[] | undefined;
}

const BARE: Row = ["", "  ", ""];
const BARS: Row = ["|", "|", "|"];
const BOX: Row = ["│", "│", "│"];

const boxed = (
  above: Line,
  belowHeader: Line,
  between: Line | undefined,
  below: Line,
  row: Row = BARS,
): TableFormat => ({
  above,
  belowHeader,
  between,
  below,
  header: row,
  row,
  padding: 1,
});

const plus: Line = ["+", "-", "+", "+"];
const dashes: Line = ["", "-", "  ", ""];
const equals: Line = ["", "=", "  ", ""];
const bars: Line = ["|", "-", "|", "|"];

export const FORMATS: Readonly<Record<string, TableFormat>> = {
  plain: { header: BARE, row: BARE, padding: 0 },
  simple: {
    above: dashes,
    belowHeader: dashes,
    below: dashes,
    header: BARE,
    row: BARE,
    padding: 0,
    hidden: ["above", "below"],
  },
  rst: { above: equals, belowHeader: equals, below: equals, header: BARE, row: BARE, padding: 0 },
  grid: boxed(plus, ["+", "=", "+", "+"], plus, plus),
  simple_grid: boxed(
    ["┌", "─", "┬", "┐"],
    ["├", "─", "┼", "┤"],
    ["├", "─", "┼", "┤"],
    ["└", "─", "┴", "┘"],
    BOX,
  ),
  rounded_grid: boxed(
    ["╭", "─", "┬", "╮"],
    ["├", "─", "┼", "┤"],
    ["├", "─", "┼", "┤"],
    ["╰", "─", "┴", "╯"],
    BOX,
  ),
  fancy_grid: boxed(
    ["╒", "═", "╤", "╕"],
    ["╞", "═", "╪", "╡"],
    ["├", "─", "┼", "┤"],
    ["╘", "═", "╧", "╛"],
    BOX,
  ),
  fancy_outline: boxed(["╒", "═", "╤", "╕"], ["╞", "═", "╪", "╡"], undefined, ["╘", "═", "╧", "╛"], BOX),
  outline: boxed(plus, ["+", "=", "+", "+"], undefined, plus),
  pretty: boxed(plus, plus, undefined, plus),
  psql: boxed(plus, ["|", "-", "+", "|"], undefined, plus),
  github: { above: bars, belowHeader: bars, header: BARS, row: BARS, padding: 1, hidden: ["above"] },
  pipe: { above: "colons", belowHeader: "colons", header: BARS, row: BARS, padding: 1, hidden: ["above"] },
  orgtbl: {
    above: ["|", "-", "+", "|"],
    belowHeader: ["|", "-", "+", "|"],
    header: BARS,
    row: BARS,
    padding: 1,
    hidden: ["above"],
  },
  jira: { header: ["||", "||", "||"], row: BARS, padding: 1 },
  presto: { belowHeader: ["", "-", "+", ""], header: ["", "|", ""], row: ["", "|", ""], padding: 1 },
  youtrack: { header: ["|| ", " || ", " || "], row: ["| ", " | ", " |"], padding: 1 },
  tsv: { header: ["", "\t", ""], row: ["", "\t", ""], padding: 0 },
};

/** Formats of tabulate that are not made here. */
export const REFUSED: readonly string[] = [
  "mediawiki",
  "moinmoin",
  "html",
  "unsafehtml",
  "latex",
  "latex_raw",
  "latex_booktabs",
  "latex_longtable",
  "textile",
];
