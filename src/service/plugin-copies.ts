/** Copies of the plugins in use: if a changed plugin is refused at a reload, its former version stays in use. */
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { PluginModule } from "../registry/discover.ts";

export interface PluginCopies {
  /** Copies these, which were loaded now; `former` waits for it. */
  keep(loaded: readonly PluginModule[]): void;
  /** The copies of the versions that were loaded last, of those that have one. */
  former(refused: readonly PluginModule[]): Promise<readonly PluginModule[]>;
}

/** A larger plugin has no copy. */
const maxBytes = 32 * 1024 * 1024;
const packages = "node_modules";

/** @param folder its content is removed now. */
export function createPluginCopies(folder: string, log: Log): PluginCopies {
  const copies = new Map<string, PluginModule>();
  let count = 0;
  /** Replaced at the last reload: jobs that were running then may still load a file of them. */
  let stale: string[] = [];
  let working: Promise<void> = rm(folder, { recursive: true, force: true });

  async function keepOne(plugin: PluginModule): Promise<void> {
    const place = join(folder, String(count++));
    const before = copies.get(plugin.name);
    copies.delete(plugin.name);
    if (before !== undefined) stale.push(placeOf(before, folder));
    try {
      const copy = await copyOf(plugin, place);
      if (copy !== undefined) copies.set(plugin.name, copy);
    } catch (error) {
      log.warn("plugin.not_copied", { plugin: plugin.name, reason: messageOf(error) });
    }
  }

  return {
    keep(loaded) {
      working = working.then(async () => {
        const old = stale;
        stale = [];
        for (const place of old) await rm(place, { recursive: true, force: true });
        // One that is loaded from its copy keeps it.
        for (const plugin of loaded) if (copies.get(plugin.name)?.path !== plugin.path) await keepOne(plugin);
      });
      working = working.catch((error) => log.warn("plugin.not_copied", { reason: messageOf(error) }));
    },
    async former(refused) {
      await working;
      return refused.flatMap(({ name }) => copies.get(name) ?? []);
    },
  };
}

function placeOf({ path }: PluginModule, folder: string): string {
  return join(folder, path.slice(folder.length + 1).split("/")[0] ?? "");
}

/** A plugin that is a file may import the files beside it. */
async function copyOf({ name, path }: PluginModule, place: string): Promise<PluginModule | undefined> {
  const isFile = name === basename(path);
  const from = dirname(path);
  const to = isFile ? place : join(place, basename(from));
  if ((await sizeOf(from, !isFile)) > maxBytes) return undefined;
  await mkdir(to, { recursive: true, mode: 0o700 });
  const wanted = (file: string) => basename(file) !== packages;
  for (const entry of await readdir(from, { withFileTypes: true }))
    if (wanted(entry.name) && (!isFile || entry.isFile()))
      await cp(join(from, entry.name), join(to, entry.name), {
        recursive: true,
        dereference: true,
        filter: wanted,
      });
  // Packages are not copied: those of the plugin, and those of the folder of plugins.
  const folders = isFile
    ? [[from, to]]
    : [
        [from, to],
        [dirname(from), place],
      ];
  for (const [own = "", copy = ""] of folders)
    if (existsSync(join(own, packages))) await symlink(join(own, packages), join(copy, packages));
  return { name, path: join(to, basename(path)) };
}

async function sizeOf(folder: string, deep: boolean): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name === packages || bytes > maxBytes) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += deep ? await sizeOf(path, deep) : 0;
    else bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
