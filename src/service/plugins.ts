/** The configured plugins in addition to the built-in ones. */
import { builtins } from "../../plugins/index.ts";
import type { Log } from "../base/log.ts";
import type { Config } from "../config/config.ts";
import { discover, findPlugins, type PluginModule } from "../registry/discover.ts";
import type { Registry } from "../registry/registry.ts";
import { tryPlugins } from "./plugin-trial.ts";
import type { Program } from "./program.ts";

type PluginConfig = Pick<Config, "pluginSettings"> & { values: Pick<Config["values"], "plugins"> };

export interface LoadedPlugins {
  readonly registry: Registry;
  /** Modules that threads and template processes may load: without those that hang or end their process. */
  readonly modules: readonly PluginModule[];
}

export async function configuredPlugins(
  config: PluginConfig,
  log: Log,
  program: Pick<Program, "mainPath">,
): Promise<Registry> {
  return (await loadPlugins(config, log, program, await findPlugins(config.values.plugins))).registry;
}

/** @param before called between the trial of the plugins and loading them here. */
export async function loadPlugins(
  { pluginSettings }: PluginConfig,
  log: Log,
  program: Pick<Program, "mainPath">,
  plugins: readonly PluginModule[],
  before: (sound: readonly PluginModule[]) => void = () => {},
): Promise<LoadedPlugins> {
  const { sound, refused } = await tryPlugins(program, plugins, pluginSettings, log);
  before(sound);
  const registry = await discover(builtins, sound, log, pluginSettings);
  for (const refusal of refused) {
    registry.refuse(refusal);
    log.error("plugin.refused", refusal);
  }
  return { registry, modules: sound };
}
