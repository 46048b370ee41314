/** All plugins by kind and name: duplicates and unknown names are errors, built-ins may be overridden on purpose. */
import * as v from "valibot";
import { ServiceError } from "../base/errors.ts";
import type { AnyPlugin, PluginKind, PluginKinds } from "../plugin/index.ts";

/** Where a plugin came from: an operator's folder overrides a built-in, two folders that clash are an error. */
export type Origin = "builtin" | string;

export interface Registry {
  /** @throws ServiceError BadRequest: the manifest is not one, or its name is taken by another folder. */
  add(plugin: unknown, origin: Origin): void;
  get<K extends PluginKind>(kind: K, name: string): PluginKinds[K] | undefined;
  /** @throws ServiceError NotFound */
  demand<K extends PluginKind>(kind: K, name: string): PluginKinds[K];
  list<K extends PluginKind>(kind: K): PluginKinds[K][];
  /** Names, and aliases of platforms. */
  names(kind: PluginKind): string[];
  origin(kind: PluginKind, name: string): Origin | undefined;
}

const kinds = [
  "driver",
  "platform",
  "template",
  "webhook",
  "credential",
] as const satisfies readonly PluginKind[];

const manifest = v.looseObject({
  api: v.literal(1, "`api` must be 1: the plugin was written for another version of the contract"),
  kind: v.picklist(kinds, `\`kind\` must be one of ${kinds.join(", ")}`),
  name: v.pipe(
    v.string("`name` must be a text"),
    v.regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "`name` must be lower-case letters, digits, `_` or `-`"),
  ),
});

/** What each kind must have besides the manifest; a missing part is named when the plugin is added, not when a job needs it. */
const parts: Record<PluginKind, readonly string[]> = {
  driver: ["connection", "args", "strategy", "knows", "defaultTimeout", "defaultPort", "load"],
  platform: ["levels", "home", "errors"],
  template: ["does", "args", "load"],
  webhook: ["options", "load"],
  credential: ["reference", "load"],
};

const fieldNames = v.array(v.string());
const known = v.object({
  connection: fieldNames,
  args: v.object({ query: fieldNames, configure: fieldNames }),
});

interface Entry {
  plugin: AnyPlugin;
  origin: Origin;
}

export function createRegistry(): Registry {
  const entries = new Map<PluginKind, Map<string, Entry>>(kinds.map((kind) => [kind, new Map()]));
  const of = (kind: PluginKind) => entries.get(kind) ?? new Map<string, Entry>();

  function add(plugin: unknown, origin: Origin): void {
    const checked = checkManifest(plugin, origin);
    const own = of(checked.kind);
    for (const name of namesOf(checked)) {
      const taken = own.get(name);
      if (taken === undefined || taken.origin === "builtin") {
        if (taken === undefined || origin !== "builtin") own.set(name, { plugin: checked, origin });
        else throw refusal(origin, `the ${checked.kind} "${name}" exists twice among the built-ins`);
      } else if (origin !== "builtin") {
        throw refusal(origin, `the ${checked.kind} "${name}" is already defined by ${taken.origin}`);
      }
    }
  }

  function get<K extends PluginKind>(kind: K, name: string): PluginKinds[K] | undefined {
    const entry = of(kind).get(name);
    return entry && isKind(entry.plugin, kind) ? entry.plugin : undefined;
  }

  return {
    add,
    get,
    demand(kind, name) {
      const found = get(kind, name);
      if (found === undefined) throw new ServiceError("NotFound", `There is no ${kind} named "${name}".`);
      return found;
    },
    list(kind) {
      const seen = new Set<AnyPlugin>([...of(kind).values()].map((entry) => entry.plugin));
      return [...seen].filter((plugin) => isKind(plugin, kind));
    },
    names: (kind) => [...of(kind).keys()].sort(),
    origin: (kind, name) => of(kind).get(name)?.origin,
  };
}

function isKind<K extends PluginKind>(plugin: AnyPlugin, kind: K): plugin is PluginKinds[K] & AnyPlugin {
  return plugin.kind === kind;
}

function namesOf(plugin: AnyPlugin): string[] {
  if (plugin.kind !== "platform") return [plugin.name];
  const names = [plugin.name, ...(plugin.aliases ?? [])];
  const suffixed = names
    .filter((name) => !/_(ssh|telnet)$/.test(name))
    .flatMap((name) => [`${name}_ssh`, `${name}_telnet`]);
  return [...new Set([...names, ...suffixed])];
}

function checkManifest(plugin: unknown, origin: Origin): AnyPlugin {
  const result = v.safeParse(manifest, plugin);
  if (!result.success) throw refusal(origin, result.issues.map((issue) => issue.message).join("; "));
  const missing = parts[result.output.kind].filter((part) => result.output[part] === undefined);
  if (missing.length > 0)
    throw refusal(origin, `${result.output.kind} "${result.output.name}" lacks ${missing.join(", ")}`);
  if (result.output.kind === "driver") {
    const knows = v.safeParse(known, result.output.knows);
    if (!knows.success)
      throw refusal(
        origin,
        `\`knows\` of driver "${result.output.name}" must be { connection, args: { query, configure } }, lists of field names`,
      );
  }
  // The parts were checked to be there; what they hold is the contract's business and fails by name where it is used.
  return plugin as AnyPlugin;
}

function refusal(origin: Origin, why: string): ServiceError {
  return new ServiceError("BadRequest", `Plugin of ${origin} was refused: ${why}.`);
}
