/** Loads a plugin's implementation from its manifest, once per thread. */

import { messageOf, ServiceError } from "../base/errors.ts";
import { requireDescriptor } from "../base/files/descriptors.ts";
import type { AnyPlugin } from "../plugin/index.ts";

export interface PluginLoader {
  /** The default export of a plugin's implementation; the next task retries a failed load. */
  get<Work>(plugin: { kind: string; name: string; load(): Promise<{ default: Work }> }): Promise<Work>;
}

/** @returns why the implementation of this plugin cannot be used. */
export async function implementationFault(plugin: AnyPlugin): Promise<string | undefined> {
  try {
    // The whole of a platform is its manifest.
    if (plugin.kind !== "platform" && typeof (await plugin.load()).default !== "function")
      return "the module returned by `load` has no function as its default export";
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

export function createPluginLoader(): PluginLoader {
  // Keyed by manifest: another version of a plugin is another object.
  const works = new WeakMap<object, Promise<unknown>>();
  return {
    get<Work>(plugin: { kind: string; name: string; load(): Promise<{ default: Work }> }): Promise<Work> {
      // A manifest has exactly one implementation type, which the map cannot express.
      const loading = works.get(plugin) as Promise<Work> | undefined;
      if (loading) return loading;
      const started = load(plugin);
      works.set(plugin, started);
      started.catch(() => works.delete(plugin));
      return started;
    },
  };
}

async function load<Work>(plugin: {
  kind: string;
  name: string;
  load(): Promise<{ default: Work }>;
}): Promise<Work> {
  const { kind, name } = plugin;
  // A load without file descriptors would also fail, and be blamed on the plugin.
  requireDescriptor();
  try {
    const { default: work } = await plugin.load();
    if (typeof work === "function") return work;
  } catch (error) {
    const why = messageOf(error);
    throw new ServiceError(
      "DriverError",
      `The plugin ${kind} ${name} could not be loaded: ${why}`,
      undefined,
      {
        cause: error,
      },
    );
  }
  throw new ServiceError("DriverError", `The plugin ${kind} ${name} has no function as its default export.`);
}
