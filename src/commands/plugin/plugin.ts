/** `patchbay plugin`: manages drivers, platforms, engines, webhooks and credential sources. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { type Command, Option } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { discover, findPlugins, type PluginModule } from "../../registry/discover.ts";
import { implementationFault } from "../../registry/loader.ts";
import { kinds } from "../../registry/manifest.ts";
import { namesOf } from "../../registry/registry.ts";
import { shownSettings } from "../../registry/settings.ts";
import type { Program } from "../../service/program.ts";
import { configOf, withSettings } from "../options.ts";
import { print, printTable, printWarning } from "../output.ts";
import cliDriver from "./skeletons/cli-driver.txt" with { type: "text" };
import credential from "./skeletons/credential.txt" with { type: "text" };
import driver from "./skeletons/driver.txt" with { type: "text" };
import inventory from "./skeletons/inventory.txt" with { type: "text" };
import platform from "./skeletons/platform.txt" with { type: "text" };
import template from "./skeletons/template.txt" with { type: "text" };
import webhook from "./skeletons/webhook.txt" with { type: "text" };
import types from "./types.txt" with { type: "text" };

export function definePlugin(parent: Command, program: Program): void {
  const plugin = parent
    .command("plugin")
    .description("plugins: drivers, platforms, engines, webhooks, sources");
  for (const define of [defineList, defineNew, defineTypes, defineCheck]) define(plugin, program);
}

/** `patchbay plugin types`: prints the types of the plugin contract as one file. */
function defineTypes(plugin: Command): void {
  plugin
    .command("types")
    .description("print the types of patchbay/plugin, for a file patchbay.d.ts")
    .action(() => void process.stdout.write(types));
}

/** `patchbay plugin list`: lists loaded plugins, and refused ones with the reason. */
function defineList(plugin: Command, program: Program): void {
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
  const { configuredPlugins } = await import("../../service/plugins/plugins.ts");
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

/** `patchbay plugin new`: writes a minimal plugin that loads, to start from. */
const skeletons: Record<(typeof kinds)[number] | "cli-driver", string> = {
  driver,
  "cli-driver": cliDriver,
  platform,
  template,
  webhook,
  credential,
  inventory,
};

/** Without it, an editor does not read patchbay.d.ts. */
const tsconfig = {
  compilerOptions: {
    target: "ESNext",
    module: "ESNext",
    moduleResolution: "bundler",
    strict: true,
    noEmit: true,
    // A test imports ./plugin.ts, and the testkit, whose types name those of a library.
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: [],
  },
  include: ["*.ts"],
};

function defineNew(plugin: Command): void {
  plugin
    .command("new <kind> <name>")
    .description(
      "create a plugin skeleton: driver (over HTTP), cli-driver (over SSH), platform, template, webhook, credential or inventory",
    )
    .option("--folder <path>", "where to create its folder", ".")
    .action((kind: string, name: string, { folder }: { folder: string }) => newPlugin(kind, name, folder));
}

/** @throws ServiceError Validation, Conflict: never overwrites a file */
function newPlugin(kind: string, name: string, below: string): void {
  const skeleton = Object.entries(skeletons).find(([candidate]) => candidate === kind)?.[1];
  if (skeleton === undefined) {
    const known = Object.keys(skeletons).join(", ");
    throw new ServiceError("Validation", `Unknown kind "${kind}": use one of ${known}.`);
  }
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
    throw new ServiceError("Validation", "The name must be lower-case letters, digits, `_` or `-`.");
  const folder = join(below, name);
  if (existsSync(folder)) throw new ServiceError("Conflict", `${folder} is there already.`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "plugin.ts");
  writeFileSync(file, filledIn(skeleton, name));
  // Not `plugin.d.ts`: TypeScript takes that for the output of plugin.ts, and ignores it.
  writeFileSync(join(folder, "patchbay.d.ts"), types);
  writeFileSync(join(folder, "tsconfig.json"), `${JSON.stringify(tsconfig, null, 2)}\n`);
  print(`${file} is written. Try it with \`patchbay plugin check ${folder}\`.`);
  print(
    "`npm install --no-save valibot` there gives an editor the types of `v`; the plugin runs without it.",
  );
}

function filledIn(skeleton: string, name: string): string {
  return skeleton
    .replaceAll("NAME_IN_CAPITALS", name.toUpperCase().replaceAll("-", "_"))
    .replaceAll("plugin-name", name);
}

/** `patchbay plugin check`: loads plugins as the service does, and finds faults that would show at the first job only. */
function defineCheck(plugin: Command, program: Program): void {
  plugin
    .command("check <path>")
    .description("check a plugin, or a folder of plugins, as the service would")
    .action((path: string, _options, command: Command) => checkPlugins(path, configOf(command), program));
}

/** @throws ServiceError BadRequest: a plugin is refused */
async function checkPlugins(path: string, { pluginSettings }: Config, program: Program): Promise<void> {
  const { builtins } = await import("../../../plugins/index.ts");
  const { tryPlugins } = await import("../../service/plugins/trial.ts");
  const { sound, refused } = await tryPlugins(
    program,
    await foundAt(resolve(path)),
    pluginSettings,
    silentLog,
  );
  const registry = await discover([], sound, silentLog, pluginSettings);
  const faults = [...refused, ...registry.refusals()].map(({ plugin, reason }) => `${plugin}: ${reason}`);
  for (const plugin of registry.all()) {
    const fault = await implementationFault(plugin);
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
