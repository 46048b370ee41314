/** `patchbay plugin list`: lists loaded plugins, and refused ones with the reason. */
import type { Command } from "commander";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { shownSettings } from "../../registry/settings.ts";
import type { Program } from "../../service/program.ts";
import { configOf, withSettings } from "../options.ts";
import { print, printTable, printWarning } from "../output.ts";

export function defineList(plugin: Command, program: Program): void {
  const command = plugin
    .command("list")
    .description("list loaded plugins, and rejected ones with the reason");
  withSettings(command, ["data_dir", "plugins"]).action((_options, command: Command) =>
    listPlugins(configOf(command), program),
  );
}

async function listPlugins(config: Config, program: Program): Promise<void> {
  const { pluginSettings } = config;
  const { configuredPlugins } = await import("../../service/plugins.ts");
  const registry = await configuredPlugins(config, silentLog, program);
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
  printTable(["kind", "name", "version", "from", "settings"], rows);
  const platforms = registry.list("platform").filter((plugin) => registry.originOf(plugin) === "builtin");
  print(`and ${platforms.length} built-in platforms (docs/platforms.md)`);
  for (const { plugin, reason } of registry.refusals())
    printWarning(`the plugin ${plugin} is refused: ${reason}`);
}
