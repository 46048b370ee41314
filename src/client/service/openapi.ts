/** Looks up in the OpenAPI document whether a driver supports an argument for configurations. */
import * as v from "valibot";
import { anything } from "./answers.ts";
import type { Api } from "./api.ts";

const object = v.record(v.string(), v.unknown());

/** A driver would ignore an unknown argument, such as a dry run, and push. */
export async function driverTakes(api: Api, driver: string, argument: string): Promise<boolean> {
  const document = await api.document("/openapi.json", anything);
  const schemas = at(document, "components", "schemas");
  const ofBulks = at(schemas, "BulkByDriver") ?? at(schemas, "BulkRequest");
  const start = at(ofBulks, "discriminator", "mapping", driver);
  return typeof start === "string" && reaches(document, start, argument, new Set());
}

/** Whether a schema, or one that it references, has the property. */
function reaches(document: unknown, reference: string, property: string, visited: Set<string>): boolean {
  if (visited.has(reference)) return false;
  visited.add(reference);
  const schema = at(document, ...reference.replace(/^#\//, "").split("/"));
  const references: string[] = [];
  const has = holds(schema, property, references);
  return has || references.some((next) => reaches(document, next, property, visited));
}

function holds(value: unknown, property: string, references: string[]): boolean {
  if (Array.isArray(value)) return value.some((member) => holds(member, property, references));
  const read = v.safeParse(object, value);
  if (!read.success) return false;
  const { $ref, properties } = read.output;
  if (typeof $ref === "string") references.push($ref);
  const named = v.safeParse(object, properties);
  if (named.success && Object.hasOwn(named.output, property)) return true;
  // Visits all members, to collect their references.
  return Object.values(read.output).filter((member) => holds(member, property, references)).length > 0;
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    const read = v.safeParse(object, current);
    if (!read.success || !Object.hasOwn(read.output, name)) return undefined;
    current = read.output[name];
  }
  return current;
}
