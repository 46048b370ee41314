/** `defineDriver`, `definePlatform` and so on: turn a definition, typed by its schemas, into a manifest. */
import type { CredentialDefinition, CredentialPlugin } from "./credential.ts";
import type { DriverDefinition, DriverPlugin } from "./driver.ts";
import type {
  InventoryFormatDefinition,
  InventoryFormatPlugin,
  InventorySourceDefinition,
  InventorySourcePlugin,
} from "./inventory.ts";
import type { OutputOf, Schema } from "./kit/kit.ts";
import type { PlatformPlugin } from "./platform.ts";
import type { TemplateEngineDefinition, TemplateEnginePlugin, TemplateKit } from "./template-engine.ts";
import type { WebhookDefinition, WebhookPlugin } from "./webhook.ts";

/** Used if no schema is given: accepts no arguments and reports each one in the job's warnings. */
const noArguments: Schema<Record<string, never>> & { readonly entries: object } = {
  entries: {},
  "~standard": { version: 1, vendor: "patchbay", validate: () => ({ value: {} }) },
};

/** Type of a schema that the definition omits. */
type Absent = Schema<Record<string, never>>;

export function defineDriver<
  C extends Schema,
  Q extends Schema = Absent,
  F extends Schema = Absent,
  S extends Schema = Absent,
>(definition: DriverDefinition<C, Q, F, S>): DriverPlugin {
  const { query, configure, open, load, ...facts } = definition;
  return {
    api: 1,
    kind: "driver",
    ...facts,
    args: { query: query ?? noArguments, ...(configure === undefined ? {} : { configure }) },
    load: loader(definition.name, open, load),
  };
}

/** A platform is plain data: this only adds `api` and `kind`. */
export function definePlatform(definition: Omit<PlatformPlugin, "api" | "kind">): PlatformPlugin {
  return { api: 1, kind: "platform", ...definition };
}

export function defineTemplateEngine<A extends Schema, S extends Schema = Absent>(
  definition: TemplateEngineDefinition<A, S>,
): TemplateEnginePlugin {
  const { compile, load, ...facts } = definition;
  const make =
    compile &&
    ((kit: TemplateKit<OutputOf<S>>) => ({
      compile: (source: string, args: OutputOf<A>) => compile(source, args, kit),
    }));
  return { api: 1, kind: "template", ...facts, load: loader(definition.name, make, load) };
}

export function defineWebhook<O extends Schema, S extends Schema = Absent>(
  definition: WebhookDefinition<O, S>,
): WebhookPlugin {
  const { deliver, load, plan, ...facts } = definition;
  return {
    api: 1,
    kind: "webhook",
    ...facts,
    plan: plan ?? (() => ({})),
    load: loader(definition.name, deliver, load),
  };
}

export function defineCredentialSource<R extends Schema, S extends Schema = Absent>(
  definition: CredentialDefinition<R, S>,
): CredentialPlugin {
  const { resolve, load, identify, ...facts } = definition;
  return {
    api: 1,
    kind: "credential",
    ...facts,
    // The value was produced by the plugin's own schema.
    ...(identify === undefined ? {} : { identify: (reference) => identify(reference as OutputOf<R>) }),
    load: loader(definition.name, resolve, load),
  };
}

export function defineInventoryFormat<S extends Schema = Absent>(
  definition: InventoryFormatDefinition<S>,
): InventoryFormatPlugin {
  const { make, load, imports = true, ...facts } = definition;
  return {
    api: 1,
    kind: "inventory",
    does: "format",
    imports,
    ...facts,
    load: loader(definition.name, make, load),
  };
}

export function defineInventorySource<O extends Schema = Absent, S extends Schema = Absent>(
  definition: InventorySourceDefinition<O, S>,
): InventorySourcePlugin {
  const { fetch, load, ...facts } = definition;
  return {
    api: 1,
    kind: "inventory",
    does: "source",
    ...facts,
    load: loader(definition.name, fetch, load),
  };
}

/**
 * The service validates every input with the plugin's own schemas, so the definition's types hold, although a list of
 * plugins of arbitrary types cannot express it.
 */
function loader<Work>(
  name: string,
  here: unknown,
  load: (() => Promise<{ default: unknown }>) | undefined,
): () => Promise<{ default: Work }> {
  if (load) return load as () => Promise<{ default: Work }>;
  if (here) return async () => ({ default: here as Work });
  throw new TypeError(`${name} has neither its main function nor \`load\``);
}
