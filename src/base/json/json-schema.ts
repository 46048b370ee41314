/** Derives JSON Schema from valibot schemas, and simplifies any JSON Schema for people and code generators. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";

/** Dialect 2020-12, as used by OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas that are components of their own and are referenced by others. */
export type Definitions = Readonly<Record<string, v.GenericSchema>>;

/** Checks that JSON Schema cannot express (code) are omitted; the service still enforces them. */
export function jsonSchemaOfValibot(schema: v.GenericSchema, definitions: Definitions = {}): JsonSchema {
  // A component must not reference itself.
  const otherDefinitions = Object.fromEntries(
    Object.entries(definitions).filter(([, definition]) => definition !== schema),
  );
  return simplified({
    ...toJsonSchema(schema, {
      errorMode: "ignore",
      typeMode: "input",
      target: "draft-2020-12",
      definitions: otherDefinitions,
      overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    }),
  });
}

/**
 * The schema with references in place of all parts that have a title; these are added to `components` by their titles.
 * A title that is also a component must mean the same everywhere.
 */
export function withComponents(schema: v.GenericSchema, components: Record<string, JsonSchema>): JsonSchema {
  const written = toJsonSchema(schema, {
    errorMode: "ignore",
    typeMode: "input",
    target: "draft-2020-12",
  });
  return simplified(referring({ ...written }, components));
}

function referring(schema: JsonSchema, components: Record<string, JsonSchema>): JsonSchema {
  const parts = Object.fromEntries(
    Object.entries(schema).map(([word, value]) => [
      word,
      values.has(word) ? value : referringWithin(value, components),
    ]),
  );
  const { title, description, ...rest } = parts;
  if (typeof title !== "string") return parts;
  const component = simplified(description === undefined ? rest : { ...rest, description });
  const known = components[title];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
    throw new Error(`Two schemas have the name ${title}.`);
  components[title] = component;
  return { $ref: `#/components/schemas/${title}` };
}

function referringWithin(value: unknown, components: Record<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map((entry: unknown) => referringWithin(entry, components));
  return isObject(value) ? referring(value, components) : value;
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNull = (schema: unknown) => isObject(schema) && schema.type === "null";

/** Keywords that only say something about a value. */
const aboutValues = new Set(["type", "title", "description", "additionalProperties"]);

/** The document with a reference to `target` in place of every object whose members may be anything. */
export function withObjectsNamed(document: JsonSchema, target: string): JsonSchema {
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within);
    return isObject(value) ? withObjectsNamed(value, target) : value;
  };
  const { type, description, additionalProperties: members } = document;
  const isFree =
    isObject(members) &&
    Object.keys(members).length === 0 &&
    Object.keys(document).every((word) => aboutValues.has(word));
  const reference = { $ref: target };
  if (isFree && type === "object") return { ...reference, description };
  if (isFree && Array.isArray(type) && type.join() === "object,null")
    return { anyOf: [reference, { type: "null" }], description };
  return Object.fromEntries(
    Object.entries(document).map(([word, value]) => [
      word,
      values.has(word) || word === "example" ? value : within(value),
    ]),
  );
}

/** Keywords whose members are schemas by name. */
const named = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
/** Keywords that hold values, not schemas. */
const values = new Set(["const", "enum", "default", "examples", "required"]);

export function simplified(schema: JsonSchema): JsonSchema {
  const { $schema: _dialect, $defs: _definitions, ...rest } = schema;
  const parts = Object.fromEntries(
    Object.entries(rest).map(([word, value]) => [word, values.has(word) ? value : inner(word, value)]),
  );
  return alternativesJoined(withoutLooser(withoutEmpty(parts)));
}

function inner(keyword: string, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((entry: unknown) => (isObject(entry) ? simplified(entry) : entry));
  if (!isObject(value)) return value;
  if (!named.has(keyword)) return simplified(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, isObject(entry) ? simplified(entry) : entry]),
  );
}

/** Drops an empty `required` and unrestricted `additionalProperties`, which are the defaults. */
function withoutEmpty(schema: JsonSchema): JsonSchema {
  const { required, additionalProperties, propertyNames, ...rest } = schema;
  const open = isObject(additionalProperties) && Object.keys(additionalProperties).length === 0;
  const anyName = isObject(propertyNames) && Object.keys(propertyNames).join() === "type";
  return {
    ...rest,
    ...(Array.isArray(required) && required.length > 0 ? { required } : {}),
    ...(propertyNames === undefined || anyName ? {} : { propertyNames }),
    ...(additionalProperties === undefined || (open && "properties" in schema)
      ? {}
      : { additionalProperties }),
  };
}

/** Drops the looser of two limits on the same side. */
function withoutLooser(schema: JsonSchema): JsonSchema {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, ...rest } = schema;
  const above = typeof exclusiveMinimum === "number" && Number(minimum ?? -Infinity) <= exclusiveMinimum;
  const below = typeof exclusiveMaximum === "number" && Number(maximum ?? Infinity) >= exclusiveMaximum;
  const low = above ? { exclusiveMinimum } : { minimum };
  const high = below ? { exclusiveMaximum } : { maximum };
  const limits = Object.entries({ ...low, ...high }).filter(([, limit]) => limit !== undefined);
  return { ...rest, ...Object.fromEntries(limits) };
}

/**
 * Turns `anyOf: [X, null]` into X with `null` among its types, flattens nested alternatives, and drops alternatives if
 * one accepts anything.
 */
function alternativesJoined(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.anyOf)) return schema;
  const { anyOf: branches, ...outer } = schema;
  const anyOf = branches.flatMap((branch: unknown) =>
    isObject(branch) && Object.keys(branch).join() === "anyOf" && Array.isArray(branch.anyOf)
      ? branch.anyOf
      : [branch],
  );
  const free = anyOf.find(
    (branch) => isObject(branch) && !Object.keys(branch).some((keyword) => !notes.has(keyword)),
  );
  const [some]: unknown[] = anyOf;
  if (isObject(free)) return { ...free, ...outer };
  if (anyOf.length === 1 && isObject(some)) return { ...some, ...outer };
  if (anyOf.length !== 2 || !isNull(anyOf[1])) return { ...outer, anyOf };
  if (!isObject(some)) return { ...outer, anyOf };
  if (typeof some.type !== "string" || "const" in some) {
    const { description, ...bare } = some;
    return { description, ...outer, anyOf: [bare, anyOf[1]] };
  }
  const words = Array.isArray(some.enum) ? { enum: [...some.enum, null] } : {};
  return { ...some, ...words, ...outer, type: [some.type, "null"] };
}

/** Keywords that do not restrict the value. */
const notes = new Set(["title", "description", "examples", "default"]);
