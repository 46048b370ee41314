/** A device or a group as rows of values with their origin, and as editable JSON. */
import { textOf } from "../../forms/form-fields.ts";
import type { Entry } from "../../shapes/inventory.ts";

export interface ShownValue {
  readonly name: string;
  readonly value: string;
  /** `device`, `group:core`, or empty. */
  readonly from: string;
  /** The group that the value is inherited from. */
  readonly group: string | undefined;
}

/** In this order; others follow. */
const first = ["host", "port", "driver", "platform", "credential", "site", "role", "group", "parent", "tags"];
/** Shown elsewhere, or part of the record instead of the device. */
const beside = ["name", "from", "facts", "changed_at", "revision"];
/** Fields added by the service. */
const ofRecord = ["revision", "changed_at", "source", "facts", "from"];
const maps = ["connection", "vars", "change"];

export function valuesOf(entry: Entry): readonly ShownValue[] {
  const names = [...new Set([...first.filter((name) => name in entry), ...Object.keys(entry)])];
  return names.filter((name) => !beside.includes(name)).flatMap((name) => rowsOf(entry, name));
}

function rowsOf(entry: Entry, name: string): ShownValue[] {
  const value = entry[name];
  if (value === null || value === undefined) return [];
  if (maps.includes(name) && typeof value === "object")
    return Object.entries(value).map(([member, inner]) => rowOf(entry, `${name}.${member}`, inner));
  if (name === "tags" && Array.isArray(value))
    return value.map((tag) => ({ ...rowOf(entry, `tags.${tag}`, tag), name: "tag" })).map(numbered);
  return [rowOf(entry, name, value)];
}

function numbered(row: ShownValue, index: number): ShownValue {
  return { ...row, name: `${row.name} ${index + 1}` };
}

function rowOf({ from }: Entry, path: string, value: unknown): ShownValue {
  const origin = from?.[path] ?? "";
  return {
    name: path,
    value: textOf({ name: path, kind: kindOf(path, value), of: [] }, value),
    from: origin,
    group: /^group:(.+)$/.exec(origin)?.[1],
  };
}

const kindOf = (path: string, value: unknown) =>
  path === "credential" ? "credential" : Array.isArray(value) && path === "groups" ? "list" : "text";

/** As it was written, to be changed. */
export function recordOf(entry: Entry): Record<string, unknown> {
  const written = Object.entries(entry).filter(
    ([name, value]) => !ofRecord.includes(name) && value !== null && value !== undefined,
  );
  return Object.fromEntries(written);
}
