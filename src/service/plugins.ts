/** The configured plugins in addition to the built-in ones. */
import { builtins } from "../../plugins/index.ts";
import type { Log } from "../base/log.ts";
import type { Config } from "../config/config.ts";
import { discover, findPlugins } from "../registry/discover.ts";
import type { Registry } from "../registry/registry.ts";

export async function configuredPlugins(
  { values, pluginSettings }: Pick<Config, "pluginSettings"> & { values: Pick<Config["values"], "plugins"> },
  log: Log,
): Promise<Registry> {
  return discover(builtins, await findPlugins(values.plugins), log, pluginSettings);
}
