/** CSV as Python's csv module reads it; the rows of a lookup table are keyed by a column. */

import { indexError, PyDict, PyError, splitLines } from "../../python/index.ts";

/** Splits into rows of fields; a quoted field may span lines. */
export function readRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let quoted = false;
  for (const line of splitLines(text)) {
    let started = quoted;
    for (let at = 0; at < line.length; at++) {
      const char = line[at];
      if (quoted) {
        if (char !== '"') field += char;
        else if (line[at + 1] === '"') {
          field += '"';
          at++;
        } else quoted = false;
      } else if (char === ",") {
        row.push(field);
        field = "";
        started = false;
      } else if (char === '"' && !started) {
        quoted = true;
        started = true;
      } else {
        field += char;
        started = true;
      }
    }
    if (quoted) continue;
    if (line !== "") row.push(field);
    rows.push(row);
    row = [];
    field = "";
  }
  if (quoted) rows.push([...row, field]);
  return rows;
}

/** @param key name of the key column; default: the first. */
export function loadCsv(text: string, key: string | undefined): PyDict {
  const table = new PyDict();
  let headers: string[] | undefined;
  let column = key === "" ? undefined : key;
  for (const row of readRows(text)) {
    if (row.length === 0) continue;
    if (headers === undefined) {
      headers = row;
      column ??= row[0];
      if (!row.includes(column ?? "")) return table;
      continue;
    }
    if (row.length > headers.length) throw indexError("list index out of range");
    const names = headers;
    const fields = PyDict.from(row.map((value, i): [string, string] => [names[i] ?? "", value]));
    const name = fields.get(column ?? "");
    if (name === undefined)
      throw new PyError("KeyError", `a row without the column '${column ?? ""}': ${row.join(",")}`);
    fields.delete(column ?? "");
    table.set(name, fields);
  }
  return table;
}
