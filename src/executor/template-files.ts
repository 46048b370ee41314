/** Texts of the files below the template roots, kept in memory: one look a second at a file in use tells whether it is another one now. */
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

/** How long a text is taken to hold without a look at its file. */
const heldForMs = 1000;
const mostFiles = 5_000;
/** Of all kept texts together. */
const mostChars = 8 * 1024 * 1024;
/** The clock of a file system may tick as slowly: a file that was changed shortly before it was read may have been changed once more since. */
const coarsestTickMs = 2_000;

/** What tells one state of a file from the next. */
export type Stamp = string;

/** The calls of the system, so that tests can count them. */
export interface Disk {
  /** Undefined where there is nothing. */
  stamp(path: string): Stamp | undefined;
  /** Undefined where there is no file that lies below the root. */
  read(root: string, name: string): { text: string; stamp: Stamp; changedMs: number } | undefined;
}

export interface TemplateFiles {
  /** The text of the first root that has the file. As long as the file is the same it is the very same string. */
  read(name: string): string | undefined;
}

interface Kept {
  /** Undefined: it is not there, or not to be read. */
  readonly text: string | undefined;
  readonly stamp: Stamp | undefined;
  /** Whether the stamp alone can tell that the file has not changed. */
  readonly certain: boolean;
  lookedAt: number;
}

export function createTemplateFiles(
  roots: readonly string[],
  disk: Disk = realDisk,
  now: () => number = performance.now.bind(performance),
): TemplateFiles {
  const kept = roots.map(
    () =>
      new LRUCache<string, Kept>({
        max: mostFiles,
        maxSize: Math.ceil(mostChars / roots.length),
        sizeCalculation: ({ text = "" }, name) => text.length + name.length + 1,
      }),
  );

  function look(root: string, name: string, before: Kept | undefined, at: number): Kept {
    const stamp = stampOf(disk, resolve(root, name));
    if (before?.certain === true && before.stamp === stamp) return before;
    const found = stamp === undefined ? undefined : disk.read(root, name);
    if (found === undefined) return { text: undefined, stamp, certain: false, lookedAt: at };
    const text = found.text === before?.text ? before.text : found.text;
    return { text, stamp: found.stamp, certain: Date.now() - found.changedMs > coarsestTickMs, lookedAt: at };
  }

  return {
    read(name) {
      const at = now();
      for (const [index, root] of roots.entries()) {
        const texts = kept[index];
        // What is looked at is in use: reading alone moves nothing to the front.
        let entry = texts?.peek(name);
        if (entry === undefined || at - entry.lookedAt >= heldForMs) {
          const seen = look(root, name, entry, at);
          seen.lookedAt = at;
          if (seen === entry) texts?.get(name);
          else texts?.set(name, seen);
          entry = seen;
        }
        if (entry.text !== undefined) return entry.text;
      }
      return undefined;
    },
  };
}

/** A name that no file can have is not there. */
function stampOf(disk: Disk, path: string): Stamp | undefined {
  try {
    return disk.stamp(path);
  } catch {
    return undefined;
  }
}

/** Absent, unreadable and outside is the same to a template: it is not there. */
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
      // What was opened is asked where it lies: links on the way to it may be others by now.
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

/** Where an open file lies now. Linux tells; elsewhere the path by which it was opened is looked at once more. */
function placeOf(file: number, path: string): string {
  return process.platform === "linux" ? readlinkSync(`/proc/self/fd/${file}`) : realpathSync(path);
}
