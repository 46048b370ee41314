/** Determines which connection fields are secret according to the drivers' schemas, before one is stored in clear. */
import { someMember } from "../base/json/walk.ts";
import { Secret } from "../base/secrets/secret.ts";
import type { DriverPlugin } from "../plugin/index.ts";
import type { Schema } from "../plugin/kit/kit.ts";
import type { Registry } from "./registry.ts";

/** A text that most text schemas accept. */
const probe = "aaaaaaaa";

type Fields = ReadonlyMap<string, Schema>;
const fieldsByDriver = new WeakMap<DriverPlugin, Fields>();

/** @returns whether a field is secret for any loaded driver, judged by its schema or by the parsed value. */
export function secretFieldsOf(registry: Pick<Registry, "list">): (name: string, value: unknown) => boolean {
  return (name, value) =>
    registry.list("driver").some((driver) => {
      const schema = fieldsOf(driver).get(name);
      return schema !== undefined && (givesSecret(schema, probe) || givesSecret(schema, value));
    });
}

function fieldsOf(driver: DriverPlugin): Fields {
  const known = fieldsByDriver.get(driver) ?? readFields(driver.connection);
  fieldsByDriver.set(driver, known);
  return known;
}

/** For object schemas that expose their members (valibot, zod); for others only secret-like names count. */
function readFields(schema: Schema): Fields {
  const fields = new Map<string, Schema>();
  for (const part of ["entries", "shape"]) {
    const entries: unknown = Reflect.get(schema, part);
    if (typeof entries !== "object" || entries === null) continue;
    for (const [name, entry] of Object.entries(entries)) if (isSchema(entry)) fields.set(name, entry);
  }
  return fields;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && "~standard" in value;
}

function givesSecret(schema: Schema, value: unknown): boolean {
  const result = schema["~standard"].validate(value);
  return !(result instanceof Promise) && result.issues === undefined && holdsSecret(result.value);
}

export function holdsSecret(value: unknown, depth = 0): boolean {
  if (value instanceof Secret) return true;
  if (typeof value !== "object" || value === null || depth > 8) return false;
  return someMember(value, (member) => holdsSecret(member, depth + 1));
}
