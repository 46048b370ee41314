/** `patchbay config`: prints the effective settings and their origins, with secrets masked. */
import type { Command } from "commander";
import { silentLog } from "../base/log.ts";
import { type Config, describeConfig, envName } from "../config/config.ts";
import { shownSettings, unusedSettings } from "../registry/settings.ts";
import { loadChecks } from "../service/load.ts";
import type { Program } from "../service/program.ts";
import { allSettings, configOf, withSettings } from "./options.ts";
import { printTable, printWarning } from "./output.ts";

export function defineConfig(parent: Command, program: Program): void {
  const command = parent
    .command("config")
    .description("print the settings in force and where they came from");
  withSettings(command, allSettings).action((_options, command: Command) =>
    printConfig(configOf(command), program),
  );
}

/** @throws ServiceError whatever `serve` would refuse. */
async function printConfig(config: Config, program: Program): Promise<void> {
  const { checkSettings, settingWarnings } = await loadChecks(config.values.data_dir);
  checkSettings(config);
  const ofService = describeConfig(config).map(({ name, value, origin, about }) => [
    name,
    value,
    origin,
    envName(name),
    about,
  ]);
  const { rows: ofPlugins, warnings } = await pluginRows(config, program);
  printTable(["setting", "value", "from", "environment", "meaning"], [...ofService, ...ofPlugins]);
  for (const warning of [...settingWarnings(config), ...warnings]) printWarning(warning);
}

async function pluginRows(config: Config, program: Program) {
  const { pluginSettings } = config;
  const { configuredPlugins } = await import("../service/plugins/plugins.ts");
  const registry = await configuredPlugins(config, silentLog, program);
  const plugins = registry.all();
  const rows = plugins.flatMap((plugin) =>
    shownSettings(plugin, pluginSettings, registry.settings(plugin)).map(
      ({ name, value, origin, variable }) => [
        `plugins.${plugin.name}.${name}`,
        value,
        origin,
        variable,
        `of the ${plugin.kind} ${plugin.name}`,
      ],
    ),
  );
  const warnings = [
    ...registry.refusals().map(({ plugin, reason }) => `the plugin ${plugin} is refused: ${reason}`),
    ...unusedSettings(pluginSettings, plugins).map((name) => `${name} is not a setting of any plugin`),
  ];
  return { rows, warnings };
}
