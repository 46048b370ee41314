/** The formats of Python's tabulate that are markup: HTML, wikis, LaTeX. */

import { stripEnd } from "../../python/index.ts";
/** How a column is aligned; `null`: not at all. */
export type Align = string | null;

export interface Markup {
  readonly padding: number;
  /** @param isHeaded whether a header follows. */
  readonly above: (aligns: readonly Align[], isHeaded: boolean) => readonly string[];
  readonly header: (cells: readonly string[], aligns: readonly Align[]) => string;
  readonly belowHeader: readonly string[];
  readonly row: (cells: readonly string[], aligns: readonly Align[]) => string;
  readonly between?: string;
  readonly below: readonly string[];
}

/** Attributes by alignment; numbers aligned at the point stand right. */
const marks =
  (left: string, center: string, right: string) =>
  (align: Align | undefined): string =>
    align === "center"
      ? center
      : align === "right" || align === "decimal"
        ? right
        : align === "left"
          ? left
          : "";

type Mark = ReturnType<typeof marks>;
type Line = Markup["row"];

/** As in the reference, titles above no rows are left out: their columns have no alignment. */
const marked = (
  cells: readonly string[],
  aligns: readonly Align[],
  one: (cell: string, align: Align | undefined) => string,
): string[] => cells.slice(0, aligns.length).map((cell, i) => one(cell, aligns[i]));

/** As Python's `html.escape`. */
const escaped = (cell: string): string => cell.replace(/[&<>'"]/g, (char) => HTML[char] ?? char);
const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#x27;",
  '"': "&quot;",
};

const tagged =
  (tag: string, mark: Mark, text: (cell: string) => string): Line =>
  (cells, aligns) =>
    `<tr>${marked(cells, aligns, (cell, align) => `<${tag}${mark(align)}>${text(cell)}</${tag}>`).join("")}</tr>`;

function html(text: (cell: string) => string): Markup {
  const style = (where: string) => ` style="text-align: ${where};"`;
  const mark = marks("", style("center"), style("right"));
  return {
    padding: 0,
    above: (_aligns, isHeaded) => ["<table>", isHeaded ? "<thead>" : "<tbody>"],
    header: tagged("th", mark, text),
    belowHeader: ["</thead>", "<tbody>"],
    row: tagged("td", mark, text),
    below: ["</tbody>", "</table>"],
  };
}

const wikiMark = marks("", 'align="center"| ', 'align="right"| ');
const wiki =
  (sign: string): Line =>
  (cells, aligns) =>
    sign + marked(cells, aligns, (cell, align) => ` ${wikiMark(align)}${cell}`).join(` ${sign}${sign}`);

const moinMark = marks("", '<style="text-align: center;">', '<style="text-align: right;">');
const moin =
  (quotes: string): Line =>
  (cells, aligns) =>
    `${marked(cells, aligns, (cell, align) => `||${moinMark(align)} ${quotes}${cell}${quotes} `).join("")}||`;

const textileMark = marks("<.", "=.", ">.");

const LATEX: Readonly<Record<string, string>> = {
  "^": "\\^{}",
  "~": "\\textasciitilde{}",
  "\\": "\\textbackslash{}",
  "<": "\\ensuremath{<}",
  ">": "\\ensuremath{>}",
};
const latexText = (cell: string): string =>
  cell.replace(/[&%$#_{}^~\\<>]/g, (char) => LATEX[char] ?? `\\${char}`);

function latex(
  text: (cell: string) => string,
  environment = "tabular",
  [above, middle, below] = ["hline", "hline", "hline"],
): Markup {
  const row: Line = (cells) => `${cells.map(text).join("&")}\\\\`;
  const letters = (aligns: readonly Align[]) =>
    aligns
      .map(marks("l", "c", "r"))
      .map((one) => one || "l")
      .join("");
  return {
    padding: 1,
    above: (aligns) => [`\\begin{${environment}}{${letters(aligns)}}`, `\\${above}`],
    header: row,
    belowHeader: [`\\${middle}`, ...(environment === "longtable" ? ["\\endhead"] : [])],
    row,
    below: [`\\${below}`, `\\end{${environment}}`],
  };
}

const asIs = (cell: string): string => cell;

export const MARKUPS: Readonly<Record<string, Markup>> = {
  html: html(escaped),
  unsafehtml: html(asIs),
  mediawiki: {
    padding: 0,
    above: () => ['{| class="wikitable" style="text-align: left;"', "|+ <!-- caption -->", "|-"],
    header: wiki("!"),
    belowHeader: ["|-"],
    row: wiki("|"),
    between: "|-",
    below: ["|}"],
  },
  moinmoin: { padding: 1, above: () => [], header: moin("'''"), belowHeader: [], row: moin(""), below: [] },
  textile: {
    padding: 1,
    above: () => [],
    header: (cells) => `|_. ${cells.join("|_.")}|`,
    belowHeader: [],
    row: (cells, aligns) =>
      `|${cells.map((cell, i) => textileMark(aligns[i]) + cell + (i === 0 ? " " : "")).join("|")}|`,
    below: [],
  },
  latex: latex(latexText),
  latex_raw: latex(asIs),
  latex_booktabs: latex(latexText, "tabular", ["toprule", "midrule", "bottomrule"]),
  latex_longtable: latex(latexText, "longtable"),
};

/** @param head aligned titles, none for a table without; `columns` the aligned cells of each column. */
export function markupText(
  markup: Markup,
  head: readonly string[],
  columns: readonly (readonly string[])[],
  aligns: readonly Align[],
): string {
  const space = " ".repeat(markup.padding);
  const spaced = (cells: readonly string[]) => cells.map((cell) => space + cell + space);
  const isHeaded = head.length > 0;
  const lines = [...markup.above(aligns, isHeaded)];
  if (isHeaded) lines.push(markup.header(spaced(head), aligns), ...markup.belowHeader);
  const count = columns[0]?.length ?? 0;
  for (let i = 0; i < count; i++) {
    lines.push(markup.row(spaced(columns.map((column) => column[i] ?? "")), aligns));
    if (i < count - 1 && markup.between !== undefined) lines.push(markup.between);
  }
  return [...lines, ...markup.below].map(stripEnd).join("\n");
}
