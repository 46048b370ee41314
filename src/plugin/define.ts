/** `defineDriver` and its kin: a definition whose types follow from its schemas becomes a manifest. */
import type { CredentialDefinition, CredentialPlugin } from "./credential.ts";
import type { DriverDefinition, DriverPlugin } from "./driver.ts";
import type { OutputOf, Schema } from "./kit.ts";
import type { PlatformPlugin } from "./platform.ts";
import type { TemplateEngineDefinition, TemplateEnginePlugin, TemplateKit } from "./template-engine.ts";
import type { WebhookDefinition, WebhookPlugin } from "./webhook.ts";

/** Of arguments nobody described: none are known, each is named in the job's warnings. */
const noArguments: Schema<Record<string, never>> & { readonly entries: object } = {
  entries: {},
  "~standard": { version: 1, vendor: "patchbay", validate: () => ({ value: {} }) },
};

/** What a schema gives that stands nowhere. */
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

/** A platform is data: `api` and `kind` are all that is added. */
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
    // What its own schema gave is what it is asked about.
    ...(identify === undefined ? {} : { identify: (reference) => identify(reference as OutputOf<R>) }),
    load: loader(definition.name, resolve, load),
  };
}

/**
 * The service runs a plugin's own schemas on all that it hands to it, so the types of the definition hold; a list of
 * plugins of any type can not say so.
 */
function loader<Work>(
  name: string,
  here: unknown,
  load: (() => Promise<{ default: unknown }>) | undefined,
): () => Promise<{ default: Work }> {
  if (load) return load as () => Promise<{ default: Work }>;
  if (here) return async () => ({ default: here as Work });
  throw new TypeError(`${name} has neither the function that does its work nor \`load\``);
}
