/** Small parts of JSON Schema, and records that are held to a type by their keys. */

interface ObjectSchema {
  readonly type: "object";
  readonly required: string[];
  readonly properties: Record<string, object>;
}

/** A member that the type has and the schema has not does not compile. */
export function record<T>(properties: Record<keyof T & string, object>, optional: (keyof T & string)[] = []) {
  const names = new Set<string>(optional);
  const required = Object.keys(properties).filter((name) => !names.has(name));
  return { type: "object", required, properties } satisfies ObjectSchema;
}

export const text = { type: "string" };
export const integer = { type: "integer" };
export const number = { type: "number" };
export const boolean = { type: "boolean" };
export const moment = { type: "string", format: "date-time" };
export const anyObject = { type: "object", additionalProperties: true };
export const orNull = (schema: object) => ({ anyOf: [schema, { type: "null" }] });
export const listOf = (items: object) => ({ type: "array", items });
export const texts = listOf(text);
export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const bytes = { type: "string", format: "binary" };
