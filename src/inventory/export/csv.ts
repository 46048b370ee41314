/** Writes the inventory as CSV that imports back to the same entries. No cell is a spreadsheet formula. */

import type { OwnDevice, OwnGroup } from "../../api/inventory.ts";
import { ExactNumber, stringifyExact } from "../../base/json/exact-json.ts";
import { csvCell } from "../../base/text/csv-cell.ts";
import { credentialText } from "../import/credential-text.ts";
import { looseValue, partsOf } from "../import/csv.ts";
import type { Exported } from "./entries.ts";

const plainColumns = [
  "name",
  "host",
  "port",
  "platform",
  "driver",
  "site",
  "role",
  "tags",
  "group",
  "enabled",
  "credential",
  "parent",
  "description",
  "window",
] as const;
type Part = "connection" | "vars";
/** With more distinct members than this, they are written as JSON in one column. */
const maxMembers = 200;

export function* csvPieces({ devices, groups }: Exported): Generator<string> {
  const entries: (OwnDevice | OwnGroup)[] = [...groups, ...devices.map((device) => device.own)];
  const connection = membersOf(entries, "connection");
  const vars = membersOf(entries, "vars");
  const titles = [
    ...(groups.length > 0 ? ["kind"] : []),
    ...plainColumns,
    ...(connection?.map((name) => `connection.${name}`) ?? ["connection"]),
    ...(vars?.map((name) => `vars.${name}`) ?? ["vars"]),
  ];
  yield line(titles);
  const rowOf = (kind: string, entry: OwnDevice | OwnGroup) =>
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
function membersOf(entries: readonly (OwnDevice | OwnGroup)[], part: Part): string[] | undefined {
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

function cellOf(name: (typeof plainColumns)[number], value: unknown): string {
  if (value === undefined || value === null) return "";
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
