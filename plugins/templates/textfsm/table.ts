/** Merges the rows of several templates for one command on their Key columns, as clitable does. */
import { Meter, PyDict, repr, TemplateError } from "../python/text.ts";
import type { Cell, Entry } from "./column.ts";
import type { LibraryTemplate } from "./library.ts";

/** Cells as text: a list stays a list, with its items as text. */
export type TextCell = string | readonly string[];

interface Table {
  readonly header: string[];
  readonly rows: Map<string, TextCell>[];
}

export function parseTable(templates: readonly LibraryTemplate[], text: string, atEnd: boolean): Table {
  const [first, ...otherTemplates] = templates;
  if (first === undefined) return { header: [], rows: [] };
  const table = readTable(first, text, atEnd);
  let keys = keysOf(first);
  for (const other of otherTemplates) {
    const more = readTable(other, text, atEnd);
    if (keys.length === 0) keys = keysOf(other);
    extend(table, more, keys);
  }
  return table;
}

const keysOf = ({ template }: LibraryTemplate): readonly string[] =>
  template.values.filter((value) => value.options.includes("Key")).map((value) => value.name);

function readTable({ machine }: LibraryTemplate, text: string, atEnd: boolean): Table {
  const { header } = machine;
  const rows = machine
    .run(text, atEnd)
    .map((cells) => new Map(header.map((name, column) => [name, cellText(cells[column] ?? "")])));
  return { header: [...header], rows };
}

function extend(table: Table, other: Table, keys: readonly string[]): void {
  for (const key of keys) requireColumn(table, key);
  const added = other.header.filter((name) => !table.header.includes(name));
  if (added.length === 0) return;
  table.header.push(...added);
  for (const row of table.rows) for (const name of added) row.set(name, "");
  const copy = (from: Map<string, TextCell>, to: Map<string, TextCell>) => {
    for (const name of added) to.set(name, from.get(name) ?? "");
  };
  if (keys.length === 0) {
    other.rows.forEach((row, index) => {
      const target = table.rows[index];
      if (target !== undefined) copy(row, target);
    });
    return;
  }
  if (table.rows.length > 0 && other.rows.length > 0) for (const key of keys) requireColumn(other, key);
  const byKey = new Map<string, Map<string, TextCell>>();
  const keyOf = (row: Map<string, TextCell>) => JSON.stringify(keys.map((key) => row.get(key)));
  for (const row of other.rows) if (!byKey.has(keyOf(row))) byKey.set(keyOf(row), row);
  for (const row of table.rows) {
    const match = byKey.get(keyOf(row));
    if (match !== undefined) copy(match, row);
  }
}

function requireColumn(table: Table, key: string): void {
  if (table.header.includes(key)) return;
  throw new TemplateError(
    "TemplateRuntime",
    `the templates of this command have no column '${key}' in common`,
  );
}

function cellText(cell: Cell): TextCell {
  return cell === null || typeof cell === "string" ? (cell ?? "None") : cell.map(entryText);
}

function entryText(entry: Entry): string {
  if (typeof entry === "string") return entry;
  return entry === null ? "None" : repr(PyDict.from(Object.entries(entry)), new Meter());
}
