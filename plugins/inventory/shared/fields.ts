/** Fields of entries: what formats of several tools do with them. */
import {
  ExactNumber,
  inventoryTextLimits,
  isSecretName,
  orderedEntries,
  orderedRecord,
} from "patchbay/plugin";

export type Fields = Record<string, unknown>;

/** Names of devices and groups. */
export const namePattern = /^[A-Za-z0-9][\w.:-]{0,127}$/;

/** Copies a value without members whose names denote secrets, at any depth; reports each to `omit`. */
export function withoutSecrets(value: unknown, omit: (name: string) => void, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > inventoryTextLimits.depth) return value;
  if (value instanceof ExactNumber) return value;
  if (Array.isArray(value)) return value.map((member) => withoutSecrets(member, omit, depth + 1));
  const kept: [string, unknown][] = [];
  for (const [name, member] of orderedEntries(value)) {
    if (isSecretName(name)) omit(name);
    else kept.push([name, withoutSecrets(member, omit, depth + 1)]);
  }
  return orderedRecord(kept);
}

/** Sets an own member, even one named `__proto__`. */
export function setOwn(fields: Fields, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Variables as they are, followed by the fields that are present. */
export function withFields(
  vars: Readonly<Record<string, unknown>> = {},
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return orderedRecord([...orderedEntries(vars), ...Object.entries(compact(fields))]);
}

/** Drops members that are undefined, null or empty. */
export function compact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && !isEmpty(value)),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Looks a name up in a table of a tool, whatever its case; an unknown name is kept. */
export function named(table: Readonly<Record<string, string>>, name: string): string {
  const key = name.toLowerCase();
  return Object.hasOwn(table, key) ? (table[key] ?? name) : name;
}

/** The inverse, for exports: a name that the table does not have is kept. */
export function keyNamed(table: Readonly<Record<string, string>>, name: string): string {
  return Object.entries(table).find(([, value]) => value === name)?.[0] ?? name;
}

export function indented(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by);
}
