/** `patchbay plugin list`: lists loaded plugins, and refused ones with the reason. */
import { type Command, Option } from "commander";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { kinds } from "../../registry/manifest.ts";
import { shownSettings } from "../../registry/settings.ts";
import type { Program } from "../../service/program.ts";
import { configOf, withSettings } from "../options.ts";
import { print, printTable, printWarning } from "../output.ts";

export function defineList(plugin: Command, program: Program): void {
  const command = plugin
    .command("list")
    .description("list loaded plugins, and rejected ones with the reason")
    .addOption(
      new Option("--kind <kind>", "only of this kind; platform: also the built-in ones").choices(kinds),
    );
  withSettings(command, ["data_dir", "plugins"]).action(
    ({ kind }: { readonly kind?: string }, command: Command) => listPlugins(configOf(command), kind, program),
  );
}

async function listPlugins(config: Config, kind: string | undefined, program: Program): Promise<void> {
  const { pluginSettings } = config;
  const { configuredPlugins } = await import("../../service/plugins.ts");
  const registry = await configuredPlugins(config, silentLog, program);
  const rows = registry
    .all()
    .filter((plugin) =>
      kind === undefined
        ? plugin.kind !== "platform" || registry.originOf(plugin) !== "builtin"
        : plugin.kind === kind,
    )
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.name.localeCompare(b.name, "en"))
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
  if (kind === undefined)
    print(
      `and ${platforms.length} built-in platforms: --kind platform lists them (docs/reference/platforms.md)`,
    );
  const counts = kinds.flatMap((name) => {
    const count = registry.all().filter((plugin) => plugin.kind === name).length;
    return kind === undefined || kind === name ? [`${count} ${name}`] : [];
  });
  print(`In all: ${counts.join(", ")}`);
  for (const { plugin, reason } of registry.refusals())
    printWarning(`the plugin ${plugin} is refused: ${reason}`);
}
