/** All plugins by kind and name. Duplicates and unknown names are errors; a folder may override a built-in plugin. */
import { messageOf, ServiceError } from "../base/errors.ts";
import type { AnyPlugin, PluginKind, PluginKinds } from "../plugin/index.ts";
import { kinds, readManifest } from "./manifest.ts";

/** Where a plugin came from: an operator's folder overrides a built-in; a conflict between two folders is an error. */
export type Origin = "builtin" | string;

export interface Refusal {
  /** Folder or file. */
  readonly plugin: string;
  readonly reason: string;
}

export interface Registry {
  /** @throws ServiceError BadRequest: invalid manifest, or its name is taken by another folder. */
  add(plugin: unknown, origin: Origin, settings?: unknown): void;
  /**
   * Adds all plugins of a module, or none.
   * @returns the built-in names that they replace
   * @throws ServiceError BadRequest
   */
  addAll(plugins: readonly { plugin: unknown; settings: unknown }[], origin: Origin): readonly string[];
  /** Settings of a plugin, as parsed by its schema. */
  settings(plugin: AnyPlugin): unknown;
  get<K extends PluginKind>(kind: K, name: string): PluginKinds[K] | undefined;
  /** @throws ServiceError NotFound */
  require<K extends PluginKind>(kind: K, name: string): PluginKinds[K];
  list<K extends PluginKind>(kind: K): PluginKinds[K][];
  /** All plugins of all kinds, without duplicates. */
  all(): AnyPlugin[];
  /** Rejected plugins with the reasons. */
  refusals(): readonly Refusal[];
  refuse(refusal: Refusal): void;
  /** Names, and aliases of platforms. */
  names(kind: PluginKind): string[];
  originOf(plugin: AnyPlugin): Origin | undefined;
}

interface Entry {
  plugin: AnyPlugin;
  origin: Origin;
}

export function createRegistry(): Registry {
  const entries = new Map<PluginKind, Map<string, Entry>>(kinds.map((kind) => [kind, new Map()]));
  const of = (kind: PluginKind) => entries.get(kind) ?? new Map<string, Entry>();

  const refusals: Refusal[] = [];
  const settingsOf = new WeakMap<AnyPlugin, unknown>();
  /** By plugin: one whose name was taken by another may still be found by an alias. */
  const originsOf = new WeakMap<AnyPlugin, Origin>();

  function addAll(
    plugins: readonly { plugin: unknown; settings: unknown }[],
    origin: Origin,
  ): readonly string[] {
    const checked = plugins.map(({ plugin, settings }) => ({
      plugin: checkManifest(plugin),
      settings,
    }));
    const named = checked.flatMap(({ plugin }) => namesOf(plugin).map((name) => ({ plugin, name })));
    const own = new Set<string>();
    for (const { plugin, name } of named) {
      const what = `${plugin.kind} "${name}"`;
      const before = of(plugin.kind).get(name)?.origin;
      if (own.has(what)) throw refusal(`the ${what} is exported twice`);
      own.add(what);
      if (before === "builtin" && origin === "builtin")
        throw refusal(`the ${what} exists twice among the built-in ones`);
      if (before !== undefined && before !== "builtin" && origin !== "builtin")
        throw refusal(`the ${what} is already defined by ${before}: give one of them another name`);
    }
    for (const { plugin, settings } of checked) {
      settingsOf.set(plugin, settings);
      originsOf.set(plugin, origin);
    }
    const replaced: string[] = [];
    for (const { plugin, name } of named) {
      const before = of(plugin.kind).get(name);
      if (before !== undefined && origin === "builtin") continue;
      if (before !== undefined) replaced.push(`${plugin.kind} ${name}`);
      of(plugin.kind).set(name, { plugin, origin });
    }
    return replaced;
  }

  function get<K extends PluginKind>(kind: K, name: string): PluginKinds[K] | undefined {
    const entry = of(kind).get(name);
    return entry && isKind(entry.plugin, kind) ? entry.plugin : undefined;
  }

  return {
    add: (plugin, origin, settings = {}) => void addAll([{ plugin, settings }], origin),
    addAll,
    all: () => [...new Set(kinds.flatMap((kind) => [...of(kind).values()].map(({ plugin }) => plugin)))],
    refusals: () => refusals,
    refuse: (refused) => void refusals.push(refused),
    settings: (plugin) => settingsOf.get(plugin) ?? {},
    get,
    require(kind, name) {
      const found = get(kind, name);
      if (found === undefined) throw new ServiceError("NotFound", `There is no ${kind} named "${name}".`);
      return found;
    },
    list(kind) {
      const seen = new Set<AnyPlugin>([...of(kind).values()].map((entry) => entry.plugin));
      return [...seen].filter((plugin) => isKind(plugin, kind));
    },
    names: (kind) => [...of(kind).keys()].sort(),
    originOf: (plugin) => originsOf.get(plugin),
  };
}

function isKind<K extends PluginKind>(plugin: AnyPlugin, kind: K): plugin is PluginKinds[K] & AnyPlugin {
  return plugin.kind === kind;
}

/** The names by which a plugin is found. */
export function namesOf(plugin: AnyPlugin): string[] {
  if (plugin.kind !== "platform") return [plugin.name];
  const names = [plugin.name, ...(plugin.aliases ?? [])];
  const suffixed = names
    .filter((name) => !/_(ssh|telnet)$/.test(name))
    .flatMap((name) => [`${name}_ssh`, `${name}_telnet`]);
  return [...new Set([...names, ...suffixed])];
}

function checkManifest(plugin: unknown): AnyPlugin {
  try {
    return readManifest(plugin);
  } catch (error) {
    throw refusal(messageOf(error));
  }
}

function refusal(why: string): ServiceError {
  return new ServiceError("BadRequest", why);
}
