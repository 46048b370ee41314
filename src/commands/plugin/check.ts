/** `patchbay plugin check`: loads plugins as the service does, and finds faults that would show at the first job only. */
import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { Command } from "commander";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import type { AnyPlugin } from "../../plugin/index.ts";
import { discover, findPlugins, type PluginModule } from "../../registry/discover.ts";
import { namesOf } from "../../registry/registry.ts";
import type { Program } from "../../service/program.ts";
import { configOf } from "../options.ts";
import { print } from "../output.ts";

export function defineCheck(plugin: Command, program: Program): void {
  plugin
    .command("check <path>")
    .description("check a plugin, or a folder of plugins, as the service would")
    .action((path: string, _options, command: Command) => checkPlugins(path, configOf(command), program));
}

/** @throws ServiceError BadRequest: a plugin is refused */
async function checkPlugins(path: string, { pluginSettings }: Config, program: Program): Promise<void> {
  const { builtins } = await import("../../../plugins/index.ts");
  const { tryPlugins } = await import("../../service/plugin-trial.ts");
  const { sound, refused } = await tryPlugins(
    program,
    await foundAt(resolve(path)),
    pluginSettings,
    silentLog,
  );
  const registry = await discover([], sound, silentLog, pluginSettings);
  const faults = [...refused, ...registry.refusals()].map(({ plugin, reason }) => `${plugin}: ${reason}`);
  for (const plugin of registry.all()) {
    const fault = await faultOf(plugin);
    if (fault === undefined) print(`ok ${plugin.kind} ${plugin.name}`);
    else faults.push(`${plugin.kind} ${plugin.name}: ${fault}`);
  }
  if (faults.length === 0 && registry.all().length === 0) faults.push(`there is no plugin in ${path}`);
  if (faults.length > 0) throw new ServiceError("BadRequest", faults.join("\n"));
  const taken = new Set(
    builtins.flatMap((plugin) => namesOf(plugin).map((name) => `${plugin.kind} ${name}`)),
  );
  const replaced = registry
    .all()
    .flatMap((plugin) => namesOf(plugin).map((name) => `${plugin.kind} ${name}`))
    .filter((name) => taken.has(name));
  for (const name of replaced) print(`note: ${name} replaces the built-in`);
}

/** Accepts a folder of plugins, a plugin folder, or a file. */
async function foundAt(path: string): Promise<PluginModule[]> {
  const kind = await stat(path).catch(() => undefined);
  if (!kind) throw new ServiceError("NotFound", `${path} does not exist.`);
  if (kind.isFile()) return [{ name: basename(path), path }];
  const itself = (await findPlugins([dirname(path)])).filter(({ name }) => name === basename(path));
  return itself.length > 0 ? itself : findPlugins([path]);
}

/** Finds a fault that would only show at the first job. */
async function faultOf(plugin: AnyPlugin): Promise<string | undefined> {
  try {
    // The whole of a platform is its manifest, which has been checked.
    if (plugin.kind !== "platform" && typeof (await plugin.load()).default !== "function")
      return "the module returned by `load` has no function as its default export";
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
