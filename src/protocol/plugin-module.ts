/** The module of a plugin: where it is loaded from, and where the operator put it. */
import { basename, dirname } from "node:path";

export interface PluginModule {
  /** Folder or file, as the operator named it. */
  name: string;
  /** Absolute path of the module. */
  path: string;
  /** If that is in a copy: the path of what was copied. */
  from?: string;
}

/** The module where the operator put it. */
export function original({ name, path, from = path }: PluginModule): PluginModule {
  return { name, path: from };
}

/** The folder of plugins that it is in. */
export function rootOf({ name, path }: PluginModule): string {
  return name === basename(path) ? dirname(path) : dirname(dirname(path));
}

/** A text about plugins, in which copied files have the names of their originals. */
export function withOriginals(text: string, plugins: readonly PluginModule[]): string {
  let told = text;
  for (const plugin of plugins)
    if (plugin.from !== undefined)
      told = told.replaceAll(`${rootOf(plugin)}/`, `${rootOf(original(plugin))}/`);
  return told;
}
