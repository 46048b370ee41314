/**
 * Copies of the plugin folders. The service, its threads and template processes load plugins from them only, so that a
 * file that is being written is never run, and a former version stays available.
 */
import { constants, existsSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, rm, stat, symlink } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { original, type PluginModule, rootOf } from "../../protocol/plugin-module.ts";
import { whyUntrusted } from "../../registry/trusted.ts";

export interface PluginCopies {
  /** Copies the folders of these as they are now. Those that cannot be copied stay where they are. */
  take(plugins: readonly PluginModule[]): Promise<readonly PluginModule[]>;
  /** The version in use of this plugin, if it is a copy. */
  former(plugin: PluginModule): PluginModule | undefined;
  /** The copies in use. */
  used(): readonly PluginModule[];
  /** From now on these are in use, and no others. */
  use(modules: readonly PluginModule[]): void;
  /** Removes all copies. */
  close(): Promise<void>;
}

/** A larger entry of a plugin folder is left out; a folder with more in total is not copied. */
const limits = { entryBytes: 32 * 1024 * 1024, bytes: 128 * 1024 * 1024, files: 20_000, depth: 24 };
const packages = "node_modules";
const leftOut: readonly string[] = [packages, ".git"];
/** A job that runs at a reload may load a file of its plugin later. */
const staleMs = 3_600_000;
const maxStale = 3;

/**
 * @param place below the data directory; its content is removed at the start.
 * @param owned resolves when no other service uses the data directory.
 */
export function createPluginCopies(place: string, log: Log, owned: Promise<unknown>): PluginCopies {
  const folder = resolve(place);
  let count = 0;
  let used: readonly PluginModule[] = [];
  /** One per reload and plugin folder. */
  const copies = new Set<string>();
  const stale = new Map<string, ReturnType<typeof setTimeout>>();
  const emptied = owned.then(() => remove(folder));
  emptied.catch(() => {});

  async function remove(place: string): Promise<void> {
    await rm(place, { recursive: true, force: true }).catch((error) =>
      log.warn("plugin.copy_left", { folder: place, reason: messageOf(error) }),
    );
  }

  async function copyOf(root: string): Promise<string | undefined> {
    const to = join(folder, String(count++));
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await copyRoot(root, to, folder);
      copies.add(to);
      return to;
    } catch (error) {
      await remove(to);
      log.warn("plugin.not_copied", { folder: root, reason: messageOf(error) });
      return undefined;
    }
  }

  function discard(place: string): void {
    clearTimeout(stale.get(place));
    stale.delete(place);
    void remove(place);
  }

  return {
    async take(plugins) {
      await emptied;
      const roots = new Map<string, string | undefined>();
      for (const root of new Set(plugins.map(rootOf))) roots.set(root, await copyOf(root));
      return Promise.all(plugins.map((plugin) => moduleIn(roots.get(rootOf(plugin)), plugin)));
    },
    former(plugin) {
      return used.find((copy) => copy.name === plugin.name && rootOf(original(copy)) === rootOf(plugin));
    },
    used: () => used,
    use(modules) {
      used = modules.filter(({ from }) => from !== undefined);
      const inUse = new Set(used.map(rootOf));
      for (const place of copies) {
        if (inUse.has(place)) continue;
        copies.delete(place);
        stale.set(place, setTimeout(() => discard(place), staleMs).unref());
      }
      for (const place of [...stale.keys()].slice(0, -maxStale)) discard(place);
    },
    async close() {
      for (const timer of stale.values()) clearTimeout(timer);
      await remove(folder);
    },
  };
}

/** The copy belongs to this account: who may change the plugin is asked of the original, before it is run. */
async function moduleIn(copy: string | undefined, plugin: PluginModule): Promise<PluginModule> {
  const { name, path } = plugin;
  const root = rootOf(plugin);
  const own = dirname(path);
  const why = await whyUntrusted(path, own === root ? undefined : own).catch(messageOf);
  if (copy === undefined || why !== undefined) return plugin;
  const copied = join(copy, relative(root, path));
  return existsSync(copied) ? { name, path: copied, from: path } : plugin;
}

/** Packages are not copied: those of the folder, of its parents and of its plugins are linked. */
async function copyRoot(root: string, to: string, target: string): Promise<void> {
  const left = { bytes: limits.bytes, files: limits.files };
  await mkdir(to, { mode: 0o700 });
  for (const { name } of await readdir(root, { withFileTypes: true })) {
    const from = join(root, name);
    const isAround = `${resolve(target)}/`.startsWith(`${resolve(from)}/`);
    if (leftOut.includes(name) || isAround || (await sizeOf(from, limits.depth)) > limits.entryBytes)
      continue;
    await copyEntry(from, join(to, name), left, limits.depth);
  }
  for (let place = resolve(root); ; place = dirname(place)) {
    if (existsSync(join(place, packages))) return symlink(join(place, packages), join(to, packages));
    if (place === dirname(place)) return;
  }
}

interface Left {
  bytes: number;
  files: number;
}

/** Links are followed; what is neither file nor folder, or cannot be read, is left out. */
async function copyEntry(from: string, to: string, left: Left, depth: number): Promise<void> {
  const found = await stat(from).catch(() => undefined);
  if (found?.isFile()) {
    left.bytes -= found.size;
    left.files--;
    if (left.bytes < 0 || left.files < 0) throw new Error(tooMuch);
    const copied = await copyFile(from, to, constants.COPYFILE_FICLONE).then(
      () => true,
      (error: unknown) => mayBeLeftOut(error),
    );
    if (copied) await chmod(to, (found.mode & 0o100) === 0 ? 0o600 : 0o700);
    return;
  }
  if (!found?.isDirectory() || depth === 0) return;
  await mkdir(to, { mode: 0o700 });
  for (const name of await readdir(from).catch(() => [])) {
    if (name === packages) await symlink(join(from, name), join(to, name));
    else if (!leftOut.includes(name)) await copyEntry(join(from, name), join(to, name), left, depth - 1);
  }
}

const tooMuch = `it has more than ${limits.bytes / 1024 / 1024} MiB or ${limits.files} files`;

/** It was removed meanwhile, or this account may not read it. */
function mayBeLeftOut(error: unknown): false {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  if (code === "ENOENT" || code === "EACCES") return false;
  throw error;
}

async function sizeOf(path: string, depth: number): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return found?.size ?? 0;
  let bytes = 0;
  for (const name of depth === 0 ? [] : await readdir(path).catch(() => [])) {
    if (leftOut.includes(name)) continue;
    bytes += await sizeOf(join(path, name), depth - 1);
    if (bytes > limits.entryBytes) break;
  }
  return bytes;
}
