/** A registry whose content can be replaced while others hold a reference; running work keeps the plugin it has. */
import type { AnyPlugin } from "../plugin/index.ts";
import type { Registry } from "./registry.ts";

export interface ReloadableRegistry extends Registry {
  /** @returns the plugins that were removed or replaced. */
  replace(next: Registry): AnyPlugin[];
}

export function reloadable(first: Registry): ReloadableRegistry {
  let current = first;
  return {
    add: (plugin, origin, settings) => current.add(plugin, origin, settings),
    addAll: (plugins, origin) => current.addAll(plugins, origin),
    get: (kind, name) => current.get(kind, name),
    require: (kind, name) => current.require(kind, name),
    list: (kind) => current.list(kind),
    all: () => current.all(),
    names: (kind) => current.names(kind),
    settings: (plugin) => current.settings(plugin),
    originOf: (plugin) => current.originOf(plugin),
    refusals: () => current.refusals(),
    refuse: (refusal) => current.refuse(refusal),
    replace(next) {
      const kept = new Set(next.all());
      const gone = current.all().filter((plugin) => !kept.has(plugin));
      current = next;
      return gone;
    },
  };
}
