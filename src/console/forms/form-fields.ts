/** Fields of a form from a schema of the API, and the record that a form says. */
import * as v from "valibot";
import { stringifyExact } from "../../base/json/exact-json.ts";
import { readJsonObject } from "./json-text.ts";

export interface FormField {
  readonly name: string;
  readonly kind: "text" | "number" | "list" | "choice" | "choices" | "flag" | "members" | "credential";
  /** What may be chosen. */
  readonly of: readonly string[];
}

const kinds: Readonly<Record<string, FormField["kind"]>> = {
  string: "text",
  number: "number",
  array: "list",
  picklist: "choice",
  boolean: "flag",
};
const reference = v.looseObject({ name: v.string(), ref: v.string() });
const wrapped = v.looseObject({ type: v.string() });

/** What is inside of optional and nullable schemas, and of pipes. */
function inner(schema: unknown): {
  readonly type: string;
  readonly options?: unknown;
  readonly item?: unknown;
} {
  if (typeof schema === "object" && schema !== null) {
    if ("wrapped" in schema) return inner(schema.wrapped);
    if ("pipe" in schema && Array.isArray(schema.pipe) && schema.pipe[0] !== schema) {
      const [first] = schema.pipe;
      return first.pipe === schema.pipe ? v.parse(wrapped, schema) : inner(first);
    }
  }
  return v.parse(wrapped, schema);
}

/** @param entries of the schema of a request */
export function fieldsOf(entries: v.ObjectEntries): readonly FormField[] {
  return Object.entries(entries).map(([name, schema]) => {
    const { type, item, options = item && inner(item).options } = inner(schema);
    const of = Array.isArray(options) ? options.map(String) : [];
    const kind = kinds[type] ?? "members";
    if (name === "credential") return { name, kind: name, of };
    if (kind === "list" && of.length > 0) return { name, kind: "choices", of };
    return { name, kind, of: kind === "flag" ? ["true", "false"] : of };
  });
}

/** A value as the text of its field. */
export function textOf({ kind }: FormField, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value) && (kind === "list" || kind === "choices")) return value.map(String).join(", ");
  const named = kind === "credential" ? v.safeParse(reference, value) : undefined;
  if (named?.success) return `${named.output.name}:${named.output.ref}`;
  return typeof value === "object" ? stringifyExact(value) : String(value);
}

/**
 * What the record becomes: an empty field is absent, and what has no field stays.
 * @throws JsonProblem
 */
export function recordOf(
  fields: readonly FormField[],
  form: FormData,
  before: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const record: Record<string, unknown> = { ...before };
  for (const field of fields) {
    const said = form.getAll(field.name).map(String).join(", ").trim();
    // What was not touched stays as it was written.
    if (said === textOf(field, before[field.name])) continue;
    if (said === "" && field.kind !== "choices") delete record[field.name];
    else record[field.name] = saidIn(field, said);
  }
  return record;
}

function saidIn({ name, kind }: FormField, said: string): unknown {
  if (kind === "number") return Number(said);
  if (kind === "flag") return said === "true";
  if (kind === "list" || kind === "choices")
    return said
      .split(/[,\n]/)
      .map((one) => one.trim())
      .filter((one) => one !== "");
  if (kind === "credential" && !said.startsWith("{")) {
    const [source = "", ref] = said.split(/:(.*)/s);
    return ref === undefined ? { name: "file", ref: source } : { name: source, ref };
  }
  return kind === "members" || kind === "credential" ? readJsonObject(name, said) : said;
}
