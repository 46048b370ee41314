/** The configured plugins in addition to the built-in ones. */
import { builtins } from "../../plugins/index.ts";
import type { Log } from "../base/log.ts";
import type { Config } from "../config/config.ts";
import { discover, findPlugins, type PluginModule } from "../registry/discover.ts";
import type { Registry } from "../registry/registry.ts";
import type { PluginCopies } from "./plugin-copies.ts";
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

export interface LoadOptions {
  /** At a reload: former versions of plugins, used in place of those that are refused now. */
  readonly copies?: Pick<PluginCopies, "former">;
  /** Called between the trial of the plugins and loading them here. */
  before?(sound: readonly PluginModule[]): void;
}

export async function loadPlugins(
  { pluginSettings }: PluginConfig,
  log: Log,
  program: Pick<Program, "mainPath">,
  plugins: readonly PluginModule[],
  { copies, before }: LoadOptions = {},
): Promise<LoadedPlugins> {
  const { sound, refused } = await tryPlugins(program, plugins, pluginSettings, log);
  const bad = new Set(refused.map(({ plugin }) => plugin));
  const former = (await copies?.former(plugins.filter(({ name }) => bad.has(name)))) ?? [];
  const kept = (await tryPlugins(program, former, pluginSettings, log)).sound;
  const modules = [...sound, ...kept];
  before?.(modules);
  const registry = await discover(builtins, modules, log, pluginSettings);
  const stays = new Set(kept.map(({ name }) => name));
  for (const { plugin, reason } of refused) {
    const note = stays.has(plugin) ? " The former version stays in use." : "";
    const refusal = { plugin, reason: `${reason.replace(/\.?$/, ".")}${note}` };
    registry.refuse(note === "" ? { plugin, reason } : refusal);
    log.error("plugin.refused", note === "" ? { plugin, reason } : refusal);
  }
  return { registry, modules };
}
