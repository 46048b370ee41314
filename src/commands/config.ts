/** `patchbay config`: the settings in force, secrets masked, and where each came from. */
import process from "node:process";
import { builtins } from "../../plugins/index.ts";
import { silentLog } from "../base/log.ts";
import { type Config, describeConfig, envName } from "../config/config.ts";
import { discover, findPlugins } from "../registry/discover.ts";
import { shownSettings, unusedSettings } from "../registry/settings.ts";
import { checkSettings, settingWarnings } from "../service/check.ts";
import { table } from "./table.ts";

/** @throws ServiceError what `serve` would refuse, in the same words. */
export async function printConfig(config: Config): Promise<void> {
  checkSettings(config);
  const own = describeConfig(config).map(({ name, value, origin, about }) => [
    name,
    value,
    origin,
    envName(name),
    about,
  ]);
  const { rows: ofPlugins, warnings } = await pluginRows(config);
  const rows = [...own, ...ofPlugins];
  const header = ["setting", "value", "from", "environment", "meaning"];
  process.stdout.write(table(header, rows));
  for (const warning of [...settingWarnings(config), ...warnings])
    process.stderr.write(`patchbay: ${warning}\n`);
}

async function pluginRows({ values, pluginSettings }: Config) {
  const registry = await discover(builtins, await findPlugins(values.plugins), silentLog, pluginSettings);
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
    ...unusedSettings(pluginSettings, plugins).map((name) => `${name} is a setting of no plugin`),
  ];
  return { rows, warnings };
}
