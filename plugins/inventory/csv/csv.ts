/**
 * CSV: one row per device, and per group if there is a column `kind`. What is written imports back to the same entries,
 * and no cell is a spreadsheet formula.
 */
import {
  csvCell,
  delimiterFor,
  ExactNumber,
  type ExportedInventory,
  type InventoryEntry,
  type InventoryFormat,
  type InventoryFormatOptions,
  Issues,
  invalid,
  isRecord,
  parseExact,
  type ReadInventory,
  RowIssues,
  readCsvRows,
  stringifyExact,
  type WrittenDevice,
  type WrittenGroup,
} from "patchbay/plugin";
import { type Fields, setOwn } from "../shared/fields.ts";

export default (): InventoryFormat => ({ read: readRows, write: pieces });

/** Columns that are always text, even if a cell looks like a number. */
const textColumns = ["name", "host", "platform", "driver", "site", "role", "group", "parent", "description"];
const lists = ["tags", "window"];
/** Written as one column per member, or as JSON in a single column. */
const parts = ["connection", "vars"];
/** JSON in a single column. */
const objects = [...parts, "change"];
const columns = [...textColumns, ...lists, ...objects, "kind", "port", "enabled", "credential"];

/** @throws ServiceError Validation */
function readRows(text: string, { delimiter }: InventoryFormatOptions): ReadInventory {
  const [header, ...rows] = readCsvRows(text, "the text", delimiterFor(text, delimiter));
  if (header === undefined) throw invalid("line 1", "there is no header: it needs at least the column name");
  const titles = header.cells;
  checkTitles(titles, header.line);
  const problems = new RowIssues();
  const devices: InventoryEntry[] = [];
  const groups: InventoryEntry[] = [];
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
function plainCell(cell: string): string {
  return /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell;
}

function cellValue(title: string, cell: string, wrong: (message: string) => void): unknown {
  if (lists.includes(title) || objects.includes(title)) {
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

function partsOf(cell: string): string[] {
  return cell
    .split(";")
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Parses a cell as JSON if it is valid JSON, else takes it as text. */
function looseValue(cell: string): unknown {
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

/** In this order. A field without its column would be lost in what is written. */
const plainColumns = Object.keys({
  name: true,
  host: true,
  port: true,
  platform: true,
  driver: true,
  site: true,
  role: true,
  tags: true,
  group: true,
  enabled: true,
  credential: true,
  parent: true,
  description: true,
  window: true,
  change: true,
} satisfies Record<Exclude<keyof WrittenDevice | keyof WrittenGroup, Part> | "window" | "change", true>);
type Part = "connection" | "vars";
/** With more distinct members than this, they are written as JSON in one column. */
const maxMembers = 200;

function* pieces({ devices, groups }: ExportedInventory): Generator<string> {
  const entries: (WrittenDevice | WrittenGroup)[] = [...groups, ...devices.map((device) => device.own)];
  const connection = membersOf(entries, "connection");
  const vars = membersOf(entries, "vars");
  const titles = [
    ...(groups.length > 0 ? ["kind"] : []),
    ...plainColumns,
    ...(connection?.map((name) => `connection.${name}`) ?? ["connection"]),
    ...(vars?.map((name) => `vars.${name}`) ?? ["vars"]),
  ];
  yield line(titles);
  const rowOf = (kind: string, entry: WrittenDevice | WrittenGroup) =>
    line([
      ...(groups.length > 0 ? [kind] : []),
      ...plainColumns.map((name) => cellOf(name, Reflect.get(entry, name))),
      ...partCells(entry.connection, connection),
      ...partCells(entry.vars, vars),
    ]);
  for (const group of groups) yield rowOf("group", group);
  for (const device of devices) yield rowOf("device", device.own);
}

/** @returns undefined if the members are too many for columns of their own, or one would be read as text. */
function membersOf(entries: readonly (WrittenDevice | WrittenGroup)[], part: Part): string[] | undefined {
  const names = new Set<string>();
  for (const entry of entries) {
    for (const [name, value] of Object.entries(entry[part] ?? {})) {
      if (value instanceof ExactNumber) return undefined;
      names.add(name);
    }
    if (names.size > maxMembers || names.has("")) return undefined;
  }
  return [...names].sort();
}

function partCells(
  members: Readonly<Record<string, unknown>> = {},
  names: readonly string[] | undefined,
): string[] {
  if (names === undefined) return [Object.keys(members).length === 0 ? "" : stringifyExact(members)];
  return names.map((name) => (Object.hasOwn(members, name) ? looseCell(members[name]) : ""));
}

/** Quotes a text as JSON if it would otherwise be read as another type. */
function looseCell(value: unknown): string {
  return typeof value === "string" && value !== "" && looseValue(value) === value
    ? value
    : stringifyExact(value);
}

function cellOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (name === "change") return stringifyExact(value);
  if (name === "credential") return credentialText(value) ?? JSON.stringify(value);
  if (!Array.isArray(value)) return String(value);
  const joined = value.join(";");
  const back = partsOf(joined);
  const isPlain =
    !joined.startsWith("[") && back.length === value.length && back.every((part, at) => part === value[at]);
  return isPlain && value.length > 0 ? joined : JSON.stringify(value);
}

/** Quotes cells with leading or trailing blanks, to keep them. */
function line(cells: readonly string[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(text: string): string {
  // The import strips one apostrophe, so a text that begins with one gets another.
  const written = csvCell(/^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text);
  return written.startsWith('"') || written === written.trim() ? written : `"${written}"`;
}

/** @returns undefined if the text is not a credential reference */
function readCredentialText(text: string): Record<string, string> | undefined {
  const [, name, reference = ""] = /^([\w-]+):(.+)$/s.exec(text) ?? [];
  if (name === undefined) return undefined;
  if (!/^\w+=/.test(reference)) return { name, ref: reference };
  const fields: Record<string, string> = {};
  for (const pair of reference.split(",")) {
    const [, field = "", value = ""] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
    if (field === "") return undefined;
    fields[field] = value;
  }
  return { ...fields, name };
}

/** The inverse; undefined if the reference needs JSON. */
function credentialText(credential: unknown): string | undefined {
  if (!isRecord(credential)) return undefined;
  const { name, ...fields } = credential;
  const entries = Object.entries(fields);
  if (typeof name !== "string" || entries.length === 0) return undefined;
  const { ref } = fields;
  const plain = entries.length === 1 && typeof ref === "string";
  const texts = entries.map(([field, value]) =>
    typeof value === "string" ? `${field}=${value}` : undefined,
  );
  const text = plain ? `${name}:${ref}` : `${name}:${texts.join(",")}`;
  return same(readCredentialText(text), credential) ? text : undefined;
}

function same(value: unknown, other: Record<string, unknown>): boolean {
  if (!isRecord(value)) return false;
  const names = Object.keys(other);
  return names.length === Object.keys(value).length && names.every((name) => value[name] === other[name]);
}
