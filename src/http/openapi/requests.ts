/** Request bodies as OpenAPI components; device requests are a union over the loaded drivers. */
import * as v from "valibot";
import { check, checks } from "../../api/jobs/checks.ts";
import {
  bulkRequest,
  commandField,
  configField,
  executeRequest,
  operationOptions,
  requestWords,
  testRequest,
  webhookUse,
} from "../../api/jobs/request.ts";
import { templateUse } from "../../api/jobs/template-use.ts";
import { type JsonSchema, jsonSchemaOfValibot } from "../../base/json/json-schema.ts";
import { members } from "../../base/json/objects.ts";
import type { DriverSchemas, PluginSchemas } from "../../registry/plugin-schemas.ts";
import { refTo } from "./schema.ts";

/** Parts of bodies with a component of their own. */
const definitions = {
  Check: check,
  Checks: checks,
  Command: commandField,
  Configuration: configField,
  Members: members,
  OperationOptions: operationOptions,
  TemplateUse: templateUse,
  Webhook: webhookUse,
};

const ofPlugins =
  "Members by name, of any type: which there are is up to a plugin, a template or the caller. Fields that have them say whose they are.";

type Schemas = Record<string, JsonSchema>;

/** Bodies by name, including those requested by `nameOf`. */
export interface RequestSchemas {
  readonly schemas: Schemas;
  /** The name of the component: its title, or that of the route. */
  nameOf(body: v.GenericSchema, operationId: string): string;
}

export function requestSchemas(plugins: PluginSchemas): RequestSchemas {
  const drivers = plugins.drivers.map((driver) => ({
    ...driver,
    connection: withoutLinks(driver.connection),
    query: withoutLinks(driver.query),
    configure: driver.configure && withoutLinks(driver.configure),
  }));
  const schemas: Schemas = { ...pluginParts(plugins), ...deviceRequests(drivers) };
  for (const [name, schema] of Object.entries(definitions)) schemas[name] ??= converted(schema);
  schemas.Members = { ...schemas.Members, description: ofPlugins };
  return {
    schemas,
    nameOf(body, operationId) {
      const name = v.getTitle(body) ?? `${pascal(operationId)}Request`;
      schemas[name] ??= converted(body);
      return name;
    },
  };
}

/** Removes Markdown links from descriptions: the service does not serve the linked pages. */
function withoutLinks<T>(node: T): T;
function withoutLinks(node: unknown): unknown {
  if (Array.isArray(node)) return node.map((item: unknown) => withoutLinks(item));
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([word, value]: [string, unknown]) => [
    word,
    word === "description" && typeof value === "string"
      ? value.replaceAll(/\[([^\]]+)\]\([^)\s]+\)/g, "$1")
      : withoutLinks(value),
  ]);
  return Object.fromEntries(entries);
}

/** The name is that of the component. */
function converted(schema: v.GenericSchema): JsonSchema {
  const { title: _name, ...written } = jsonSchemaOfValibot(schema, definitions);
  return written;
}

function pluginParts({ webhooks, credentials }: PluginSchemas): Schemas {
  const parts: Schemas = {};
  const union = (
    name: string,
    schemas: readonly { readonly name: string; readonly schema: JsonSchema }[],
  ) => {
    const named = schemas.map(({ name: plugin, schema }) => {
      const component = `${pascal(plugin)}${name}`;
      parts[component] = schema;
      return refTo(component);
    });
    const [only = { type: "object" }] = named;
    parts[name] = named.length > 1 ? { anyOf: named } : only;
  };
  union("Webhook", webhooks);
  union("Credential", credentials);
  return parts;
}

/** Fields that a credential may supply, or that have two names: never listed as required. */
const neverRequired = new Set([
  ...["host", "hostname", "username", "password", "secret", "passphrase", "pkey", "sudo_password"],
  "enable_password",
]);
const address = { type: ["string", "null"], description: "Name or address of the device" };

function deviceRequests(drivers: readonly DriverSchemas[]): Schemas {
  const schemas: Schemas = {};
  const unions: Record<string, [driver: string, component: string][]> = {};
  for (const driver of drivers) {
    const name = distinct(pascal(driver.name), schemas);
    for (const [request, schema] of Object.entries(requestsOf(driver, name, schemas))) {
      schemas[`${name}${request}`] = schema;
      unions[request] = [...(unions[request] ?? []), [driver.name, `${name}${request}`]];
    }
  }
  const inventory = inventoryRequests(Object.keys(schemas));
  for (const [request, members] of Object.entries(unions)) {
    schemas[`${request}ByDriver`] = discriminated(members);
    schemas[`Inventory${request}`] = inventory[request] ?? {};
    schemas[`${request}Request`] = { anyOf: [`${request}ByDriver`, `Inventory${request}`].map(refTo) };
  }
  return schemas;
}

/** For inventory devices, whose driver and connection may come from the inventory. */
function inventoryRequests(components: readonly string[]): Schemas {
  const anyMatching = (pattern: RegExp) => orNull(components.filter((name) => pattern.test(name)));
  // A field that no driver knows is rejected or ignored with a warning, whatever the driver.
  const namedFields = {
    connection_args: anyMatching(/SharedConnection$/),
    driver_args: anyMatching(/(?:Query|Configure)Args$/),
  };
  const device = { type: "string", minLength: 1, maxLength: 128, description: requestWords.device };
  const named = { type: "object", required: ["device"], properties: { device } };
  const select = { type: "string", description: requestWords.select };
  const devices = { type: "array", minItems: 1, description: requestWords.devices, items: named };
  return {
    Execute: mergedOver(executeRequest, ["device"], { ...namedFields, device }),
    Bulk: {
      anyOf: [
        mergedOver(bulkRequest, ["select"], { ...namedFields, select }),
        mergedOver(bulkRequest, ["devices"], { ...namedFields, devices }),
      ],
    },
    Test: mergedOver(testRequest, ["device"], { ...namedFields, device }),
  };
}

function distinct(name: string, schemas: Schemas): string {
  return `${name}Execute` in schemas ? distinct(`${name}Other`, schemas) : name;
}

function discriminated(members: readonly [driver: string, component: string][]): JsonSchema {
  return {
    oneOf: members.map(([, component]) => refTo(component)),
    discriminator: {
      propertyName: "driver",
      mapping: Object.fromEntries(members.map(([driver, component]) => [driver, refTo(component).$ref])),
    },
  };
}

/** Bodies of the three device routes for one driver; adds their parts to `schemas`. */
function requestsOf(driver: DriverSchemas, name: string, schemas: Schemas): Schemas {
  const connection = connectionOf(driver.connection);
  const { required: _required, ...shared } = connection;
  schemas[`${name}Connection`] = connection;
  schemas[`${name}SharedConnection`] = shared;
  schemas[`${name}Device`] = { ...shared, properties: { ...inInventory, ...fieldsOf(shared), ...work } };
  schemas[`${name}QueryArgs`] = driver.query;
  if (driver.configure) schemas[`${name}ConfigureArgs`] = driver.configure;
  const driverField = { driver: { type: "string", const: driver.name } };
  const connection_args = refTo(`${name}Connection`);
  const args = orNull([`${name}QueryArgs`, ...(driver.configure ? [`${name}ConfigureArgs`] : [])]);
  const operation = (present: "command" | "config", absent: "command" | "config", args: string) =>
    mergedOver(executeRequest, ["driver", "connection_args", present], {
      ...driverField,
      connection_args,
      [present]: work[present],
      [absent]: { type: "null" },
      driver_args: orNull([args]),
    });
  schemas[`${name}Query`] = operation("command", "config", `${name}QueryArgs`);
  if (driver.configure) schemas[`${name}Configure`] = operation("config", "command", `${name}ConfigureArgs`);
  const operations = [refTo(`${name}Query`), ...(driver.configure ? [refTo(`${name}Configure`)] : [])];
  return {
    Execute: {
      allOf: [{ anyOf: operations }, { type: "object", required: ["driver"], properties: driverField }],
    },
    Bulk: mergedOver(bulkRequest, ["driver", "devices"], {
      ...driverField,
      connection_args: orNull([`${name}SharedConnection`]),
      devices: {
        type: "array",
        minItems: 1,
        description: requestWords.devices,
        items: refTo(`${name}Device`),
      },
      driver_args: args,
    }),
    Test: mergedOver(testRequest, ["driver", "connection_args"], {
      ...driverField,
      connection_args,
      driver_args: args,
    }),
  };
}

const work = { command: refTo("Command"), config: refTo("Configuration") };
const inInventory = { device: { type: ["string", "null"], description: requestWords.device } };

const orNull = (components: readonly string[]): JsonSchema => ({
  anyOf: [...components.map(refTo), { type: "null" }],
});

const fieldsOf = ({ properties }: JsonSchema): object =>
  typeof properties === "object" ? (properties ?? {}) : {};

/** A body whose fields are replaced by those of the driver; their descriptions are kept. */
function mergedOver(
  body: v.GenericSchema,
  required: readonly string[],
  overrides: Readonly<Record<string, object>>,
): JsonSchema {
  const { required: _required, ...schema } = converted(body);
  const fields: Readonly<Record<string, object>> = { ...fieldsOf(schema) };
  const replaced = Object.entries(overrides).map(([name, field]: [string, object]) => {
    const { description } = { description: undefined, ...fields[name] };
    return [name, description === undefined ? field : { description, ...field }];
  });
  return { ...schema, required, properties: { ...fields, ...Object.fromEntries(replaced) } };
}

function connectionOf(schema: JsonSchema): JsonSchema {
  const { properties, required, ...rest } = schema;
  const needed = Array.isArray(required) ? required.filter((field) => !neverRequired.has(field)) : [];
  const credential = { anyOf: [refTo("Credential"), { type: "null" }], description: requestWords.credential };
  return {
    type: "object",
    ...rest,
    properties: { host: address, hostname: address, ...fieldsOf({ properties }), credential },
    ...(needed.length > 0 ? { required: needed } : {}),
  };
}

export function pascal(name: string): string {
  return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
