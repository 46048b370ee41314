/** In-memory cache of template files below the roots: files in use are checked for changes once a second. */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { resolve, sep } from "node:path";
import process from "node:process";
import { LRUCache } from "lru-cache";

/** How long a cached text is used without checking its file. */
const heldForMs = 1000;
const maxFiles = 5_000;
/** For all cached texts in total. */
const maxChars = 8 * 1024 * 1024;
/**
 * Coarsest timestamp resolution of a file system: a file changed shortly before it was read may change again without a
 * new timestamp.
 */
const coarsestTickMs = 2_000;

/** Identifies one state of a file. */
export type Stamp = string;

/** File system calls, abstracted so that tests can count them. */
export interface Disk {
  /** Undefined if nothing exists there. */
  stamp(path: string): Stamp | undefined;
  /** Undefined if there is no such file below the root. */
  read(root: string, name: string): { text: string; stamp: Stamp; changedMs: number } | undefined;
}

export interface TemplateFiles {
  /** The text from the first root that has the file. Returns the identical string while the file is unchanged. */
  read(name: string): string | undefined;
}

interface Kept {
  /** Undefined: missing or unreadable. */
  readonly text: string | undefined;
  readonly stamp: Stamp | undefined;
  /** Whether an equal stamp proves that the file is unchanged. */
  readonly certain: boolean;
  lookedAt: number;
}

export function createTemplateFiles(
  roots: readonly string[],
  disk: Disk = realDisk,
  now: () => number = performance.now.bind(performance),
): TemplateFiles {
  const caches = roots.map(
    () =>
      new LRUCache<string, Kept>({
        max: maxFiles,
        maxSize: Math.ceil(maxChars / roots.length),
        sizeCalculation: ({ text = "" }, name) => text.length + name.length + 1,
      }),
  );

  function readEntry(root: string, name: string, before: Kept | undefined, at: number): Kept {
    const stamp = stampOf(disk, resolve(root, name));
    if (before?.certain === true && before.stamp === stamp) return before;
    const file = stamp === undefined ? undefined : disk.read(root, name);
    if (file === undefined) return { text: undefined, stamp, certain: false, lookedAt: at };
    const text = file.text === before?.text ? before.text : file.text;
    return { text, stamp: file.stamp, certain: Date.now() - file.changedMs > coarsestTickMs, lookedAt: at };
  }

  return {
    read(name) {
      const at = now();
      for (const [index, root] of roots.entries()) {
        const texts = caches[index];
        // `peek` does not count as a use; only a check of the file does.
        let entry = texts?.peek(name);
        if (entry === undefined || at - entry.lookedAt >= heldForMs) {
          const fresh = readEntry(root, name, entry, at);
          fresh.lookedAt = at;
          if (fresh === entry) texts?.get(name);
          else texts?.set(name, fresh);
          entry = fresh;
        }
        if (entry.text !== undefined) return entry.text;
      }
      return undefined;
    },
  };
}

/** A name that no file can have counts as missing. */
function stampOf(disk: Disk, path: string): Stamp | undefined {
  try {
    return disk.stamp(path);
  } catch {
    return undefined;
  }
}

/** To a template, missing, unreadable and outside of the roots look the same. */
export function readBelow(root: string, name: string): string | undefined {
  return realDisk.read(root, name)?.text;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

export const realDisk: Disk = {
  stamp(path) {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat && stampFrom(stat);
  },
  read(root, name) {
    let file: number | undefined;
    try {
      const base = realpathSync(root) + sep;
      const real = realpathSync(resolve(base, name));
      if (!real.startsWith(base)) return undefined;
      file = openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      // Checks the location of the open file: links on its path may have changed since.
      if (!placeOf(file, real).startsWith(base)) return undefined;
      const stat = fstatSync(file, { bigint: true });
      if (!stat.isFile()) return undefined;
      return { text: readFileSync(file, "utf8"), stamp: stampFrom(stat), changedMs: Number(stat.ctimeMs) };
    } catch {
      return undefined;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  },
};

interface BigStat {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

function stampFrom({ dev, ino, size, mtimeNs, ctimeNs }: BigStat): Stamp {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Location of an open file: from /proc on Linux; elsewhere the path is resolved again. */
function placeOf(file: number, path: string): string {
  return process.platform === "linux" ? readlinkSync(`/proc/self/fd/${file}`) : realpathSync(path);
}
