/** Rules and delimiters of the table formats of Python's tabulate. */

/** Begin, fill, column separator, end. */
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
  /** Lines that are hidden if the table has a header. */
  readonly hidden?: readonly ("above" | "below")[] | undefined;
}

const BARE: Row = ["", "  ", ""];
const BARS: Row = ["|", "|", "|"];

/** A line from one character per part, as in `+-++`. */
const drawn = (line: string): Line => {
  const [begin = "", fill = "", between = "", end = ""] = line;
  return [begin, fill, between, end];
};

function boxed(above: string, belowHeader: string, between: string, below: string, bar = "|"): TableFormat {
  const row: Row = [bar, bar, bar];
  return {
    above: drawn(above),
    belowHeader: drawn(belowHeader),
    between: between === "" ? undefined : drawn(between),
    below: drawn(below),
    header: row,
    row,
    padding: 1,
  };
}

/** No vertical bars: the same rule everywhere. */
const ruled = (line: Line, hidden: TableFormat["hidden"]): TableFormat => ({
  above: line,
  belowHeader: line,
  below: line,
  header: BARE,
  row: BARE,
  padding: 0,
  hidden,
});

const headed = (line: Line | "colons"): TableFormat => ({
  above: line,
  belowHeader: line,
  header: BARS,
  row: BARS,
  padding: 1,
  hidden: ["above"],
});

export const FORMATS: Readonly<Record<string, TableFormat>> = {
  plain: { header: BARE, row: BARE, padding: 0 },
  simple: ruled(["", "-", "  ", ""], ["above", "below"]),
  rst: ruled(["", "=", "  ", ""], []),
  grid: boxed("+-++", "+=++", "+-++", "+-++"),
  simple_grid: boxed("┌─┬┐", "├─┼┤", "├─┼┤", "└─┴┘", "│"),
  rounded_grid: boxed("╭─┬╮", "├─┼┤", "├─┼┤", "╰─┴╯", "│"),
  heavy_grid: boxed("┏━┳┓", "┣━╋┫", "┣━╋┫", "┗━┻┛", "┃"),
  mixed_grid: boxed("┍━┯┑", "┝━┿┥", "├─┼┤", "┕━┷┙", "│"),
  double_grid: boxed("╔═╦╗", "╠═╬╣", "╠═╬╣", "╚═╩╝", "║"),
  fancy_grid: boxed("╒═╤╕", "╞═╪╡", "├─┼┤", "╘═╧╛", "│"),
  fancy_outline: boxed("╒═╤╕", "╞═╪╡", "", "╘═╧╛", "│"),
  simple_outline: boxed("┌─┬┐", "├─┼┤", "", "└─┴┘", "│"),
  rounded_outline: boxed("╭─┬╮", "├─┼┤", "", "╰─┴╯", "│"),
  heavy_outline: boxed("┏━┳┓", "┣━╋┫", "", "┗━┻┛", "┃"),
  mixed_outline: boxed("┍━┯┑", "┝━┿┥", "", "┕━┷┙", "│"),
  double_outline: boxed("╔═╦╗", "╠═╬╣", "", "╚═╩╝", "║"),
  outline: boxed("+-++", "+=++", "", "+-++"),
  pretty: boxed("+-++", "+-++", "", "+-++"),
  psql: boxed("+-++", "|-+|", "", "+-++"),
  github: headed(["|", "-", "|", "|"]),
  pipe: headed("colons"),
  orgtbl: { belowHeader: ["|", "-", "+", "|"], header: BARS, row: BARS, padding: 1 },
  jira: { header: ["||", "||", "||"], row: BARS, padding: 1 },
  presto: { belowHeader: ["", "-", "+", ""], header: ["", "|", ""], row: ["", "|", ""], padding: 1 },
  youtrack: { header: ["|| ", " || ", " || "], row: ["| ", " | ", " |"], padding: 1 },
  tsv: { header: ["", "\t", ""], row: ["", "\t", ""], padding: 0 },
};
