/** JSON Schemas of plugins, whatever library their schemas use, for the API description. */
import type * as v from "valibot";
import { type JsonSchema, jsonSchemaOfValibot, simplified } from "../base/json/json-schema.ts";
import { isRecord } from "../base/json/members.ts";
import type { AnyPlugin, CredentialPlugin, DriverPlugin, WebhookPlugin } from "../plugin/index.ts";
import type { InventoryFormatPlugin } from "../plugin/inventory.ts";
import type { Schema } from "../plugin/kit/kit.ts";
import { fieldsOf } from "./fields.ts";
import { formatsOf } from "./inventory-formats.ts";
import { type SourceKind, sourceKindsOf } from "./inventory-sources.ts";
import type { Registry } from "./registry.ts";

interface NamedSchema {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** Schemas of a driver; without `configure` it does not support configuration. */
export interface DriverSchemas {
  readonly name: string;
  readonly connection: JsonSchema;
  readonly query: JsonSchema;
  readonly configure: JsonSchema | undefined;
}

export interface PluginSchemas {
  readonly drivers: readonly DriverSchemas[];
  readonly webhooks: readonly NamedSchema[];
  readonly credentials: readonly NamedSchema[];
  readonly formats: readonly InventoryFormatPlugin[];
  readonly sources: readonly SourceKind[];
}

/** A plugin's schema may be from any library or not be introspectable: the fields then have names but no types. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  return withoutReferences(fromItself(schema) ?? fromValibot(schema) ?? fromNames(schema));
}

/** Replaces references inside a (recursive) schema with any value, as they cannot be resolved elsewhere. */
function withoutReferences(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema, (_key, value: unknown) =>
    isRecord(value) && typeof value.$ref === "string" ? {} : value,
  );
  const plain: unknown = JSON.parse(text);
  return isRecord(plain) ? plain : {};
}

/** Uses Standard JSON Schema if the library supports it (zod, arktype). */
function fromItself(schema: Schema): JsonSchema | undefined {
  try {
    const standard: Record<string, unknown> = { ...schema["~standard"] };
    const { jsonSchema } = standard;
    if (!isRecord(jsonSchema) || typeof jsonSchema.input !== "function") return undefined;
    const made: unknown = jsonSchema.input({ target: "draft-2020-12" });
    return isRecord(made) ? simplified(made) : undefined;
  } catch {
    return undefined;
  }
}

function fromValibot(schema: Schema): JsonSchema | undefined {
  if (!isValibot(schema)) return undefined;
  try {
    return jsonSchemaOfValibot(schema);
  } catch {
    return undefined;
  }
}

function isValibot(schema: Schema): schema is Schema & v.GenericSchema {
  return schema["~standard"].vendor === "valibot" && "kind" in schema && "~run" in schema;
}

function fromNames(schema: Schema): JsonSchema {
  const fields = fieldsOf(schema) ?? [];
  return { type: "object", properties: Object.fromEntries(fields.map((name) => [name, {}])) };
}

/** Cached per plugin object; a reloaded plugin is another object. */
function remembered<P extends AnyPlugin, T>(make: (plugin: P) => T): (plugin: P) => T {
  const known = new WeakMap<P, T>();
  return (plugin) => {
    const made = known.get(plugin) ?? make(plugin);
    known.set(plugin, made);
    return made;
  };
}

const schemasOfDriver = remembered((driver: DriverPlugin): DriverSchemas => {
  const { query, configure } = driver.args;
  return {
    name: driver.name,
    connection: jsonSchemaOf(driver.connection),
    query: jsonSchemaOf(query),
    configure: configure && jsonSchemaOf(configure),
  };
});
const schemaOfWebhook = remembered(({ name, options }: WebhookPlugin) => ({
  name,
  schema: jsonSchemaOf(options),
}));
const schemaOfCredential = remembered(({ name, reference }: CredentialPlugin) => ({
  name,
  schema: jsonSchemaOf(reference),
}));

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

/** Schemas of the drivers, webhooks, credential sources and inventory plugins that are currently loaded. */
export function schemasOfPlugins(registry: Pick<Registry, "list">): PluginSchemas {
  return {
    drivers: registry.list("driver").map(schemasOfDriver).sort(byName),
    webhooks: registry.list("webhook").map(schemaOfWebhook).sort(byName),
    credentials: registry.list("credential").map(schemaOfCredential).sort(byName),
    formats: formatsOf(registry),
    sources: sourceKindsOf(registry),
  };
}
