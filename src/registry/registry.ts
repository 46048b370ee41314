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

  function add(plugin: unknown, origin: Origin, settings: unknown = {}): void {
    const checked = checkManifest(plugin, origin);
    settingsOf.set(checked, settings);
    const sameKind = of(checked.kind);
    for (const name of namesOf(checked)) {
      const existing = sameKind.get(name);
      if (existing === undefined || existing.origin === "builtin") {
        if (existing === undefined || origin !== "builtin") sameKind.set(name, { plugin: checked, origin });
        else throw refusal(origin, `the ${checked.kind} "${name}" exists twice among the built-in ones`);
      } else if (origin !== "builtin") {
        throw refusal(origin, `the ${checked.kind} "${name}" is already defined by ${existing.origin}`);
      }
    }
  }

  function get<K extends PluginKind>(kind: K, name: string): PluginKinds[K] | undefined {
    const entry = of(kind).get(name);
    return entry && isKind(entry.plugin, kind) ? entry.plugin : undefined;
  }

  return {
    add,
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
    originOf: (plugin) => of(plugin.kind).get(plugin.name)?.origin,
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
  try {
    return readManifest(plugin);
  } catch (error) {
    throw refusal(origin, messageOf(error));
  }
}

function refusal(origin: Origin, why: string): ServiceError {
  return new ServiceError("BadRequest", `Plugin of ${origin} was refused: ${why}.`);
}
