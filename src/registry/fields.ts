/** Names of the fields that a schema takes, where it is one that can be asked: objects of valibot, zod, arktype. */
import type { Schema } from "../plugin/kit.ts";

const fieldsBySchema = new WeakMap<Schema, readonly string[] | undefined>();

/** @returns undefined where the schema does not tell: then every field is handed to it. */
export function fieldsOf(schema: Schema): readonly string[] | undefined {
  if (fieldsBySchema.has(schema)) return fieldsBySchema.get(schema);
  const fields = read(schema);
  fieldsBySchema.set(schema, fields);
  return fields;
}

function read(schema: object): readonly string[] | undefined {
  // Of an object that takes all others, too, no field is unknown.
  if ("rest" in schema || ("type" in schema && schema.type === "loose_object")) return undefined;
  for (const part of ["entries", "shape"]) {
    const entries: unknown = Reflect.get(schema, part);
    if (typeof entries === "object" && entries !== null) return Object.keys(entries);
  }
  if ("props" in schema && Array.isArray(schema.props))
    return schema.props.map((prop: { key?: unknown }) => String(prop.key));
  return undefined;
}
