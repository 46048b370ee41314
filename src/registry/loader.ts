/** From a manifest to its implementation, once per thread. */
import { requireDescriptor } from "../base/descriptors.ts";
import { messageOf, ServiceError } from "../base/errors.ts";

export interface PluginLoader {
  /** The default export of a plugin's implementation; a failed load is tried again by the next task. */
  get<Work>(plugin: { kind: string; name: string; load(): Promise<{ default: Work }> }): Promise<Work>;
}

export function createPluginLoader(): PluginLoader {
  // By the manifest itself: another version of a plugin is another object.
  const works = new WeakMap<object, Promise<unknown>>();
  return {
    get<Work>(plugin: { kind: string; name: string; load(): Promise<{ default: Work }> }): Promise<Work> {
      // One manifest has one type of work: the map can not say that.
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
  // Without descriptors it fails, too, and that is no fault of the plugin.
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
