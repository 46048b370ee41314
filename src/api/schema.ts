/**
 * Parts of record schemas. A record is written once, as a schema: its type, the API description, and what client and
 * console read follow from it.
 */
import * as v from "valibot";

export const text = v.string();
export const texts = v.array(text);
export const integer = v.pipe(v.number(), v.integer());
/** ISO 8601. */
export const moment = v.pipe(text, v.isoTimestamp());

/** A schema with the description of the field it stands for. */
export function described<const S extends v.GenericSchema>(schema: S, description: string) {
  return v.pipe(schema, v.description(description));
}

/** A member of a request that may be absent or null. */
export const field = <const S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema));

/** Of a stored recipe or template, behind its name. */
export const documentHeads = {
  version: described(integer, "Increases with each change; also its ETag"),
  changed_at: moment,
  changed_by: described(text, "Name of the key or person"),
  source: v.exactOptional(described(text, "The source that brings it: it is changed there")),
  revision: v.exactOptional(described(text, "Of one that a source brings: the commit")),
};

/** A schema with a name: a component of the API description, which others refer to. */
export function named<const S extends v.GenericSchema>(name: string, schema: S) {
  return v.pipe(schema, v.title(name));
}

/** How others read a record: members of newer services pass. */
export function reader<const E extends v.ObjectEntries>({ entries }: { readonly entries: E }) {
  return v.looseObject(entries);
}

/** A value that nobody changes. */
export type Unchanged<T> = T extends object ? { readonly [K in keyof T]: Unchanged<T[K]> } : T;
