/** The configured plugins in addition to the built-in ones. */
import { builtins } from "../../../plugins/index.ts";
import type { Log } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { original, type PluginModule } from "../../protocol/plugin-module.ts";
import { discover, findPlugins } from "../../registry/discover.ts";
import type { Refusal, Registry } from "../../registry/registry.ts";
import type { Program } from "../program.ts";
import type { PluginCopies } from "./copies.ts";
import { type TriedPlugins, tryPlugins } from "./trial.ts";

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
  /** Plugins are loaded from copies; of those that are refused at a reload the former version stays in use. */
  readonly copies?: PluginCopies;
  /** Called between the trial of the plugins and loading them here. */
  before?(sound: readonly PluginModule[]): void;
}

export async function loadPlugins(
  { pluginSettings }: PluginConfig,
  log: Log,
  program: Pick<Program, "mainPath">,
  found: readonly PluginModule[],
  { copies, before }: LoadOptions = {},
): Promise<LoadedPlugins> {
  const tried = (plugins: readonly PluginModule[]) => tryPlugins(program, plugins, pluginSettings, log);
  const plugins = (await copies?.take(found)) ?? found;
  const inPlace = await needsItsPlace(plugins, await tried(plugins), tried);
  for (const { name } of inPlace.modules)
    log.warn("plugin.not_copied", { plugin: name, reason: elsewhereText });
  const { sound, refused, incomplete } = inPlace.trial;

  const former = (faults: readonly Refusal[]) =>
    plugins.flatMap((plugin) =>
      faults.some(({ plugin: name }) => name === plugin.name) ? (copies?.former(original(plugin)) ?? []) : [],
    );
  const kept = await tried(former([...refused, ...incomplete]));
  const lacking = new Set(kept.incomplete.map(({ plugin }) => plugin));
  const stays = new Set(kept.sound.map(({ name }) => name));
  // The former version of an incomplete one is better only if it is complete.
  const rejected = [
    ...refused,
    ...incomplete.filter(({ plugin }) => stays.has(plugin) && !lacking.has(plugin)),
  ];
  for (const { plugin, reason } of incomplete)
    if (rejected.every((one) => one.plugin !== plugin)) log.warn("plugin.incomplete", { plugin, reason });

  const bad = new Set(rejected.map(({ plugin }) => plugin));
  const modules = [
    ...sound.filter(({ name }) => !bad.has(name)),
    ...kept.sound.filter(({ name }) => bad.has(name)),
  ];
  before?.(modules);
  const registry = await discover(builtins, modules, log, pluginSettings);
  for (const { plugin, reason } of rejected) {
    const note = stays.has(plugin) ? " The former version stays in use." : "";
    const refusal =
      note === "" ? { plugin, reason } : { plugin, reason: `${reason.replace(/\.?$/, ".")}${note}` };
    registry.refuse(refusal);
    log.error("plugin.refused", refusal);
  }
  return { registry, modules };
}

/** As runtimes word it. */
const notFound = /cannot find|not found|no such file|ENOENT/i;
const elsewhereText =
  "It loads files outside of its plugin folder, so it is used where it is: a change takes effect while it is being written.";

/** Of copied plugins, those that load where they are only; the trial counts them as loaded from there. */
async function needsItsPlace(
  plugins: readonly PluginModule[],
  trial: TriedPlugins,
  tried: (plugins: readonly PluginModule[]) => Promise<TriedPlugins>,
): Promise<{ readonly modules: readonly PluginModule[]; readonly trial: TriedPlugins }> {
  const missing = [...trial.refused, ...trial.incomplete].filter(({ reason }) => notFound.test(reason));
  const names = new Set(missing.map(({ plugin }) => plugin));
  const copied = plugins.filter(({ name, from }) => from !== undefined && names.has(name));
  const { sound, incomplete } = await tried(copied.map(original));
  const whole = sound.filter(({ name }) => incomplete.every(({ plugin }) => plugin !== name));
  const loads = new Set(whole.map(({ name }) => name));
  const others = ({ plugin }: Refusal) => !loads.has(plugin);
  return {
    modules: whole,
    trial: {
      sound: [...trial.sound.filter(({ name }) => !loads.has(name)), ...whole],
      refused: trial.refused.filter(others),
      incomplete: trial.incomplete.filter(others),
    },
  };
}
