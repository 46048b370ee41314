/** The fields of each driver's forms, from the OpenAPI description. */
import * as v from "valibot";
import { reach } from "../reading/api.ts";
import { shownText } from "../shown.ts";

export interface FormField {
  readonly name: string;
  readonly kind: "text" | "number" | "boolean" | "json";
  readonly description: string;
  /** Default value as text. */
  readonly standard?: string;
  readonly choices?: readonly string[];
  readonly secret: boolean;
  /** Shown initially; the others are collapsed. */
  readonly main: boolean;
}

export interface DriverForm {
  readonly driver: string;
  readonly connection: readonly FormField[];
  /** Arguments of queries and configurations. */
  readonly arguments: readonly FormField[];
}

const fieldSchema = v.looseObject({
  type: v.optional(v.union([v.string(), v.array(v.string())])),
  description: v.optional(v.string()),
  default: v.optional(v.unknown()),
  enum: v.optional(v.array(v.unknown())),
  anyOf: v.optional(v.array(v.unknown())),
  writeOnly: v.optional(v.boolean()),
  format: v.optional(v.string()),
});
const objectSchema = v.looseObject({ properties: v.optional(v.record(v.string(), fieldSchema), {}) });
const documentSchema = v.looseObject({
  components: v.looseObject({
    schemas: v.looseObject({
      ExecuteByDriver: v.looseObject({
        discriminator: v.looseObject({ mapping: v.record(v.string(), v.string()) }),
      }),
    }),
  }),
});

const mainFields = ["device_type", "username", "password", "secret", "port", "transport"];
/** Fields that the form has separate inputs for. */
const elsewhere = ["host", "hostname", "ip", "credential"];
const secretNames = /password|secret|passphrase|pkey/;
const suffix = "Execute";

/** @throws Unreachable; ValiError the description has an unexpected shape */
export async function driverForms(signal: AbortSignal): Promise<readonly DriverForm[]> {
  const { said } = await reach("/openapi.json", { signal });
  const { schemas } = v.parse(documentSchema, JSON.parse(said)).components;
  const fieldsOf = (name: string): FormField[] => {
    const parsed = v.safeParse(objectSchema, schemas[name]);
    return parsed.success ? Object.entries(parsed.output.properties).map(fieldOf) : [];
  };
  return Object.entries(schemas.ExecuteByDriver.discriminator.mapping).map(([driver, reference]) => {
    const name = reference.slice(reference.lastIndexOf("/") + 1, -suffix.length);
    const args = new Map(
      [...fieldsOf(`${name}QueryArgs`), ...fieldsOf(`${name}ConfigureArgs`)].map((field) => [
        field.name,
        field,
      ]),
    );
    return {
      driver,
      connection: fieldsOf(`${name}Connection`)
        .filter(({ name }) => !elsewhere.includes(name))
        .sort((a, b) => order(a.name) - order(b.name)),
      arguments: [...args.values()].filter(({ name }) => name !== "dry_run"),
    };
  });
}

function order(name: string): number {
  const place = mainFields.indexOf(name);
  return place < 0 ? mainFields.length : place;
}

function fieldOf([name, schema]: [string, v.InferOutput<typeof fieldSchema>]): FormField {
  const types = [schema.type ?? []].flat();
  const choices = schema.enum?.filter((choice) => typeof choice === "string");
  return {
    name,
    kind: kindOf(types, choices !== undefined),
    description: schema.description ?? "",
    ...(schema.default === undefined || schema.default === null
      ? {}
      : { standard: shownText(schema.default) }),
    choices,
    secret: schema.writeOnly === true || schema.format === "password" || secretNames.test(name),
    main: mainFields.includes(name),
  };
}

function kindOf(types: readonly string[], hasChoices: boolean): FormField["kind"] {
  if (types.includes("string") || hasChoices) return "text";
  if (types.includes("boolean")) return "boolean";
  if (types.includes("number") || types.includes("integer")) return "number";
  return types.length === 0 ? "text" : "json";
}
