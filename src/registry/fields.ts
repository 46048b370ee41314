/** Lists the fields of an object schema from a library that exposes them: valibot, zod, arktype. */
import type { Schema } from "../plugin/kit/kit.ts";

const fieldsBySchema = new WeakMap<Schema, readonly string[] | undefined>();

/** @returns undefined if the schema does not expose them: every field is then passed to it. */
export function fieldsOf(schema: Schema): readonly string[] | undefined {
  if (fieldsBySchema.has(schema)) return fieldsBySchema.get(schema);
  const fields = read(schema);
  fieldsBySchema.set(schema, fields);
  return fields;
}

function read(schema: object): readonly string[] | undefined {
  // An object that accepts additional fields has no unknown ones.
  if ("rest" in schema || ("type" in schema && schema.type === "loose_object")) return undefined;
  for (const part of ["entries", "shape"]) {
    const entries: unknown = Reflect.get(schema, part);
    if (typeof entries === "object" && entries !== null) return Object.keys(entries);
  }
  if ("props" in schema && Array.isArray(schema.props))
    return schema.props.map((prop: { key?: unknown }) => String(prop.key));
  return undefined;
}
