/**
 * Fills the registry: built-in plugins first, then the operator's plugin folders. A bad plugin never prevents the
 * start.
 */
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { messageOf, ServiceError } from "../base/errors.ts";
import { guardIntrinsics } from "../base/intrinsics.ts";
import type { Log } from "../base/log.ts";
import { maskUrls } from "../base/net/url.ts";
import { noPluginSettings, type PluginSettings } from "../base/plugin-settings.ts";
import { createMasker, secretsOfJson } from "../base/secrets/mask.ts";
import { within } from "../base/time/deadline.ts";
import type { AnyPlugin } from "../plugin/index.ts";
import { original, type PluginModule, withOriginals } from "../protocol/plugin-module.ts";
import { readManifest } from "./manifest.ts";
import { namingItself } from "./plugin-fault.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { readSettings } from "./settings.ts";
import { whyUntrusted } from "./trusted.ts";

export type { PluginModule } from "../protocol/plugin-module.ts";

/** A module that hangs in a top-level await must not hang the start. */
const loadLimitMs = 10_000;
const entryNames = ["plugin.ts", "plugin.js", "plugin.mjs", "index.ts", "index.js"];

/** Lists the modules of all plugin folders: files (`acme.ts`) and folders with a `plugin.ts`. */
export async function findPlugins(folders: readonly string[]): Promise<PluginModule[]> {
  const found: PluginModule[] = [];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => a.name.localeCompare(b.name))) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = join(folder, entry.name);
      if (entry.isFile() && /\.(ts|js|mjs)$/.test(entry.name) && !/\.(test|d)\.ts$/.test(entry.name)) {
        found.push({ name: entry.name, path });
      } else if (entry.isDirectory()) {
        const inside = new Set(await readdir(path).catch(() => []));
        const main = entryNames.find((name) => inside.has(name));
        if (main !== undefined) found.push({ name: entry.name, path: join(path, main) });
      }
    }
  }
  return found;
}

/**
 * @param builtins the static list in the binary.
 * @returns the registry, and the rejected plugins with the reasons.
 */
export async function discover(
  builtins: readonly AnyPlugin[],
  plugins: readonly PluginModule[],
  log: Log,
  settings: PluginSettings = noPluginSettings,
): Promise<Registry> {
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin", await readSettings(plugin, settings));
  for (const found of plugins) {
    const intrinsics = guardIntrinsics("all");
    const requireUnchanged = () => {
      const changed = intrinsics.restore();
      if (changed.length > 0)
        throw new Error(
          `it changes what belongs to the language (${changed.slice(0, 5).join(", ")}), which all plugins share`,
        );
    };
    try {
      const module: { default?: unknown } = await load(found);
      const exported = Array.isArray(module.default) ? module.default : [module.default];
      requireUnchanged();
      const manifests = exported.map((plugin) => namingItself(readManifest(plugin)));
      const plugins = await Promise.all(
        manifests.map(async (plugin) => {
          await checkPlatform(plugin);
          return { plugin, settings: await withinLimit(readSettings(plugin, settings), lateSettings) };
        }),
      );
      requireUnchanged();
      const replaces = registry.addAll(plugins, found.name);
      log.info("plugin.loaded", {
        plugin: found.name,
        count: exported.length,
        ...(replaces.length === 0 ? {} : { replaces }),
      });
    } catch (error) {
      intrinsics.restore();
      const refusal = {
        plugin: found.name,
        reason: withoutSecrets(withOriginals(reasonOf(error, found), [found]), settings),
      };
      registry.refuse(refusal);
      log.error("plugin.refused", refusal);
    }
  }
  return registry;
}

/** Loaded on demand: most services have no platform of their own. */
async function checkPlatform(plugin: AnyPlugin): Promise<void> {
  if (plugin.kind !== "platform") return;
  const { platformFaults } = await import("../device/cli/platform.ts");
  const faults = platformFaults(plugin);
  if (faults.length > 0)
    throw new ServiceError("BadRequest", `platform "${plugin.name}": ${faults.join("; ")}`);
}

let life = 0;
/** Deno caches modules permanently, so a plugin is reloaded under a new URL; modules that it imports are not. */
const isKeptForEver = process.versions.deno !== undefined;

/** Clears the runtime's module cache for a plugin's folder, so that the next import reads the files again. */
export function forgetModules(plugins: readonly PluginModule[]): void {
  life++;
  const { cache } = createRequire(import.meta.url);
  // A single-file plugin may also import neighbouring files. Packages of a copied one are where it was copied from.
  const places = plugins.flatMap((plugin) => [plugin.path, original(plugin).path]);
  const folders = [...new Set(places.map((path) => `${dirname(path)}/`))];
  for (const module of Object.keys(cache))
    if (folders.some((folder) => module.startsWith(folder))) delete cache[module];
}

async function load(found: PluginModule): Promise<{ default?: unknown }> {
  const isFile = found.name === basename(found.path);
  const why = await whyUntrusted(found.path, isFile ? undefined : dirname(found.path));
  if (why !== undefined) throw new Error(why);
  const late = () => new Error(`${found.name} did not load within ${loadLimitMs / 1000} s`);
  const address = pathToFileURL(found.path);
  if (isKeptForEver && life > 0) address.search = String(life);
  return withoutExit(found.path, () => withinLimit(import(address.href), late));
}

const lateSettings = () => new Error(`its settings were not validated within ${loadLimitMs / 1000} s`);

function withinLimit<T>(work: Promise<T>, late: () => Error): Promise<T> {
  return within(work, loadLimitMs, new AbortController().signal, late);
}

/** A module that ends the process must not end the service. */
async function withoutExit<T>(path: string, work: () => Promise<T>): Promise<T> {
  const { exit } = process;
  process.exit = (code) => {
    const error = new Error(`it called process.exit(${code ?? ""}), which would end the service`);
    // The service itself may end now.
    if (error.stack?.includes(dirname(path)) !== true) return exit(code);
    throw error;
  };
  try {
    return await work();
  } finally {
    process.exit = exit;
  }
}

/** The plugin's own code may have thrown an error that quotes one of its settings, or a variable. */
export function withoutSecrets(reason: string, settings: PluginSettings): string {
  const known = secretsOfJson(JSON.stringify({ settings, environment: process.env }));
  return maskUrls(createMasker(known).text(reason));
}

/** One sentence: file and line, if the runtime reports them, and what is wrong. */
function reasonOf(error: unknown, { path }: PluginModule): string {
  const message = messageOf(error).split("\n")[0] ?? "";
  const at = placeOf(error, path);
  return at === undefined ? message : `${at}: ${message}`;
}

function placeOf(error: unknown, path: string): string | undefined {
  if (error instanceof ServiceError) return undefined;
  if (typeof error !== "object" || error === null) return path;
  // The runtime reports the position of a syntax error; for an exception it is in the stack.
  const first = "errors" in error && Array.isArray(error.errors) ? error.errors[0] : error;
  const position: unknown =
    typeof first === "object" && first !== null ? Reflect.get(first, "position") : undefined;
  if (typeof position === "object" && position !== null && "file" in position && "line" in position)
    return `${position.file}:${position.line}`;
  const folder = dirname(path);
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const frame = stack.split("\n").find((line) => line.includes(folder));
  return (
    frame?.match(/\(?((?:file:\/\/)?\/[^()]+?:\d+)(?::\d+)?\)?\s*$/)?.[1]?.replace(/^file:\/\//, "") ?? path
  );
}
