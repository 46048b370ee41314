/** Imports Oxidized's router.db: one device per line, with a configurable delimiter and column list. */
import { invalid, RowIssues } from "../../base/issues.ts";
import { type Entry, type Fields, importLimits, Notes, type ReadInventory } from "./document.ts";
import { platformOf } from "./platforms.ts";

const fieldNames = ["name", "ip", "model", "group", "username", "password", "port", "enable"] as const;
export type OxidizedField = (typeof fieldNames)[number] | "-";

export interface OxidizedOptions {
  /** Default: a colon. */
  readonly delimiter?: string | undefined;
  /** Comma-separated column names; `-` skips a column. */
  readonly map?: string | undefined;
}

const ordinary = "name,model,username,password,enable";

/** @throws ServiceError Validation */
export function readOxidized(
  text: string,
  { delimiter = ":", map = ordinary }: OxidizedOptions,
): ReadInventory {
  const columns = columnsOf(map);
  const problems = new RowIssues();
  const notes = new Notes();
  const devices: Entry[] = [];
  const groups = new Map<string, Entry>();
  let line = 0;
  for (const [written] of text.matchAll(/^.*$/gm)) {
    line++;
    const at = `line ${line}`;
    const bare = written.replace(/^\ufeff/, "").trim();
    if (bare === "" || bare.startsWith("#")) continue;
    const cells = bare.length > importLimits.lineChars ? [] : bare.split(delimiter);
    if (cells.length === 0) problems.add(at, `has more than ${importLimits.lineChars} characters`);
    else if (cells.length > columns.length)
      problems.add(at, `has ${cells.length} columns, and the map ${columns.length}: ${columns.join(",")}`);
    else {
      const fields = fieldsOf(columns, cells, (name) =>
        notes.add(at, `${name} was omitted: it is a secret, use a credential`),
      );
      const { group } = fields;
      if (typeof group === "string" && !groups.has(group)) groups.set(group, { fields: { name: group }, at });
      devices.push({ fields, at });
    }
  }
  problems.check();
  return { devices, groups: [...groups.values()], warnings: notes.list() };
}

export function columnsOf(map: string): OxidizedField[] {
  const columns = map.split(",").map((name) => name.trim());
  const fields = columns.flatMap((name): OxidizedField[] =>
    name === "-" ? ["-"] : fieldNames.filter((field) => field === name),
  );
  if (fields.length !== columns.length || !fields.includes("name"))
    throw invalid(
      "map",
      `must be columns of ${fieldNames.join(", ")} or -, separated by commas, including name`,
    );
  return fields;
}

function fieldsOf(
  columns: readonly OxidizedField[],
  cells: readonly string[],
  secret: (name: string) => void,
): Fields {
  const fields: Fields = {};
  for (const [index, column] of columns.entries()) {
    const cell = (cells[index] ?? "").trim();
    if (cell === "" || column === "-") continue;
    if (column === "password" || column === "enable") secret(column);
    else if (column === "ip") fields.host = cell;
    else if (column === "model") fields.platform = platformOf("oxidized", cell);
    else if (column === "username") fields.connection = { username: cell };
    else if (column === "port") fields.port = /^\d{1,5}$/.test(cell) ? Number(cell) : cell;
    else fields[column] = cell;
  }
  return fields;
}
