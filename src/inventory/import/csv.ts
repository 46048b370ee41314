/** Imports CSV: one row per device, and per group if there is a column `kind`. */

import { Issues, invalid, RowIssues } from "../../base/issues.ts";
import { ExactNumber, parseExact } from "../../base/json/exact-json.ts";
import { isRecord } from "../../base/json/members.ts";
import { delimiterFor, readCsvRows } from "../../base/text/csv.ts";
import type { ColumnOptions } from "../exchange-port.ts";
import { readCredentialText } from "./credential-text.ts";
import { type Entry, type Fields, type ReadInventory, setOwn } from "./document.ts";

/** Columns that are always text, even if a cell looks like a number. */
const texts = ["name", "host", "platform", "driver", "site", "role", "group", "parent", "description"];
const lists = ["tags", "window"];
/** Written as one column per member, or as JSON in a single column. */
const parts = ["connection", "vars"];
const columns = [...texts, ...lists, ...parts, "kind", "port", "enabled", "credential"];

/** @throws ServiceError Validation */
export function readCsvInventory(text: string, { delimiter }: ColumnOptions = {}): ReadInventory {
  const [header, ...rows] = readCsvRows(text, "the text", delimiterFor(text, delimiter));
  if (header === undefined) throw invalid("line 1", "there is no header: it needs at least the column name");
  const titles = header.cells;
  checkTitles(titles, header.line);
  const problems = new RowIssues();
  const devices: Entry[] = [];
  const groups: Entry[] = [];
  for (const { cells, line } of rows) {
    const at = `line ${line}`;
    if (cells.length > titles.length) {
      problems.add(at, `the row has ${cells.length} cells, but the header has ${titles.length}`);
      continue;
    }
    const { kind = "device", ...fields } = rowFields(titles, cells, (name, message) =>
      problems.add(at, `${name}: ${message}`),
    );
    if (kind !== "device" && kind !== "group") problems.add(at, "kind: must be device or group");
    (kind === "group" ? groups : devices).push({ fields, at });
  }
  problems.check();
  return { devices, groups, warnings: [] };
}

function checkTitles(titles: readonly string[], line: number): void {
  const problems = new Issues();
  const at = `line ${line}`;
  for (const [index, title] of titles.entries()) {
    if (titles.indexOf(title) < index)
      problems.add(at, `the column ${JSON.stringify(title.slice(0, 64))} appears twice`);
    if (columns.includes(title) || /^(?:connection|vars)\../s.test(title)) continue;
    problems.add(
      at,
      `${JSON.stringify(title.slice(0, 64))} is not a column: known are ${columns.join(", ")}, connection.<field> and vars.<name>`,
    );
  }
  if (!titles.includes("name")) problems.add(at, "there is no column name");
  problems.check();
}

function rowFields(
  titles: readonly string[],
  cells: readonly string[],
  wrong: (name: string, message: string) => void,
): Fields {
  const fields: Fields = {};
  for (const [column, title] of titles.entries()) {
    const cell = plainCell(cells[column] ?? "");
    if (cell === "") continue;
    const [, part = "", member = ""] = /^(connection|vars)\.(.+)$/s.exec(title) ?? [];
    if (part !== "") {
      const members = isRecord(fields[part]) ? fields[part] : {};
      setOwn(members, member, looseValue(cell));
      fields[part] = members;
    } else if (parts.includes(title)) {
      const value = cellValue(title, cell, (message) => wrong(title, message));
      fields[title] = isRecord(value) && isRecord(fields[title]) ? { ...value, ...fields[title] } : value;
    } else fields[title] = cellValue(title, cell, (message) => wrong(title, message));
  }
  return fields;
}

/** Strips the apostrophe that protects a cell from being read as a formula. */
export function plainCell(cell: string): string {
  return /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell;
}

function cellValue(title: string, cell: string, wrong: (message: string) => void): unknown {
  if (lists.includes(title) || parts.includes(title)) {
    const isList = lists.includes(title);
    if (isList && !cell.startsWith("[")) return partsOf(cell);
    const value = jsonOf(cell);
    if (isList ? Array.isArray(value) : isRecord(value)) return value;
    wrong(isList ? "must be strings separated by ; or a JSON list" : "must be a JSON object");
  }
  if (title === "port") {
    if (/^\d{1,5}$/.test(cell)) return Number(cell);
    wrong("must be a number from 1 to 65535");
  } else if (title === "enabled") {
    if (/^(?:true|yes|1)$/i.test(cell)) return true;
    if (/^(?:false|no|0)$/i.test(cell)) return false;
    wrong("must be true or false");
  } else if (title === "credential") {
    const reference = cell.startsWith("{") ? jsonOf(cell) : readCredentialText(cell);
    if (reference !== undefined) return reference;
    wrong("must be <source>:<ref>, or <source>:<field>=<value>");
  }
  return cell;
}

export function partsOf(cell: string): string[] {
  return cell
    .split(";")
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Parses a cell as JSON if it is valid JSON, else takes it as text. */
export function looseValue(cell: string): unknown {
  if (!/^(?:[[{"]|-?\d|true$|false$|null$)/.test(cell)) return cell;
  const value = jsonOf(cell);
  // A number that does not round-trip (`007`, `1.10`, `9.0`, too many digits) is text.
  if (value === undefined || value instanceof ExactNumber) return cell;
  return typeof value === "number" && String(value) !== cell ? cell : value;
}

function jsonOf(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
