/** `patchbay plugin list` and `check`: what is taken, what is refused, and why. */
import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import process from "node:process";
import { builtins } from "../../../plugins/index.ts";
import { ServiceError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { createPlatformCompiler } from "../../cli/platform.ts";
import type { Config } from "../../config/config.ts";
import type { AnyPlugin } from "../../plugin/index.ts";
import { discover, type Found, findPlugins } from "../../registry/discover.ts";
import type { Registry } from "../../registry/registry.ts";
import { shownSettings } from "../../registry/settings.ts";
import { table } from "../table.ts";

export async function listPlugins(config: Config): Promise<void> {
  const { values, pluginSettings } = config;
  const registry = await discover(builtins, await findPlugins(values.plugins), silentLog, pluginSettings);
  const rows = registry
    .all()
    .filter((plugin) => plugin.kind !== "platform" || registry.originOf(plugin) !== "builtin")
    .map((plugin) => [
      plugin.kind,
      plugin.name,
      plugin.version ?? "",
      registry.originOf(plugin) ?? "",
      shownSettings(plugin, pluginSettings, registry.settings(plugin))
        .map(({ name, value }) => `${name}=${value}`)
        .join(" "),
    ]);
  process.stdout.write(table(["kind", "name", "version", "from", "settings"], rows));
  const platforms = registry.list("platform").filter((plugin) => registry.originOf(plugin) === "builtin");
  process.stdout.write(`and ${platforms.length} built-in platforms (docs/platforms.md)\n`);
  for (const { plugin, reason } of registry.refusals())
    process.stderr.write(`patchbay: the plugin ${plugin} is refused: ${reason}\n`);
}

/** @throws ServiceError BadRequest: something in it is refused */
export async function checkPlugins(path: string, { pluginSettings }: Config): Promise<void> {
  const registry = await discover([], await foundAt(resolve(path)), silentLog, pluginSettings);
  const faults = registry.refusals().map(({ plugin, reason }) => `${plugin}: ${reason}`);
  for (const plugin of registry.all()) {
    const fault = await faultOf(plugin);
    if (fault === undefined) process.stdout.write(`ok ${plugin.kind} ${plugin.name}\n`);
    else faults.push(`${plugin.kind} ${plugin.name}: ${fault}`);
  }
  if (faults.length === 0 && registry.all().length === 0) faults.push(`there is no plugin in ${path}`);
  if (faults.length > 0) throw new ServiceError("BadRequest", faults.join("\n"));
  demandFree(registry);
}

/** A folder with plugins in it, the folder of one plugin, or a file. */
async function foundAt(path: string): Promise<Found[]> {
  const kind = await stat(path).catch(() => undefined);
  if (!kind) throw new ServiceError("NotFound", `There is nothing at ${path}.`);
  if (kind.isFile()) return [{ name: basename(path), path }];
  const own = (await findPlugins([dirname(path)])).filter(({ name }) => name === basename(path));
  return own.length > 0 ? own : findPlugins([path]);
}

/** What would fail at the first job only. */
async function faultOf(plugin: AnyPlugin): Promise<string | undefined> {
  try {
    if (plugin.kind === "platform") createPlatformCompiler()(plugin);
    else if (typeof (await plugin.load()).default !== "function")
      return "the module that `load` gives has no function as its default export";
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function demandFree(registry: Registry): void {
  const taken = registry
    .all()
    .filter((plugin) => builtins.some(({ kind, name }) => kind === plugin.kind && name === plugin.name));
  for (const { kind, name } of taken)
    process.stdout.write(`note: ${kind} ${name} takes the place of the built-in\n`);
}
