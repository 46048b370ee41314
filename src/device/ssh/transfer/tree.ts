/** The contents of a folder to transfer: its files by folder, within limits, without links and devices. */
import { createHash } from "node:crypto";
import { ServiceError } from "../../../base/errors.ts";
import { isEntryName, type OpenFolder } from "../../../base/files/open-folder.ts";
import type { RemoteEntry, Sftp } from "./sftp.ts";

export interface Branch {
  readonly name: string;
  readonly files: Leaf[];
  readonly folders: Branch[];
}

export interface Leaf {
  readonly name: string;
  /** Undefined if the server does not report it. */
  readonly size: number | undefined;
}

export interface Tree {
  readonly root: Branch;
  readonly files: number;
  readonly bytes: number;
  /** Paths. */
  readonly skipped: readonly string[];
}

const maxEntries = 100_000;
const deepest = 64;
/** Number of skipped names reported. */
const maxSkipped = 100;

/** Files in flight: the cost of a small file is mostly latency. */
const filesAtOnce = 16;

export function localTree(folder: OpenFolder): Promise<Tree> {
  return treeOf<OpenFolder>(folder, async function* (at) {
    for (const entry of await at.list()) {
      if (entry.isDirectory())
        yield { kind: "folder", name: entry.name, size: 0, open: () => at.folder(entry.name) };
      else {
        const stat = entry.isFile() ? await at.look(entry.name) : undefined;
        const kind = stat?.isFile() && stat.nlink === 1 ? "file" : "other";
        yield { kind, name: entry.name, size: stat?.size ?? 0 };
      }
    }
  });
}

export function remoteTree(sftp: Pick<Sftp, "list">, path: string): Promise<Tree> {
  interface Remote {
    readonly path: string;
    close(): Promise<void>;
  }
  const open = (at: string): Remote => ({ path: at, close: async () => {} });
  return treeOf<Remote>(open(path), async function* (at) {
    for await (const batch of sftp.list(at.path)) {
      for (const { name, stat } of batch.filter(isOther)) {
        if (!isEntryName(name))
          throw new ServiceError(
            "DriverError",
            `Remote folder ${at.path}: the server names an entry ${JSON.stringify(name)}`,
          );
        const kind = stat.kind === "file" || stat.kind === "folder" ? stat.kind : "other";
        yield { kind, name, size: stat.size, open: async () => open(`${at.path}/${name}`) };
      }
    }
  });
}

const isOther = ({ name }: RemoteEntry) => name !== "." && name !== "..";

interface Found<At> {
  readonly kind: "file" | "folder" | "other";
  readonly name: string;
  readonly size: number | undefined;
  readonly open?: () => Promise<At>;
}

async function treeOf<At extends { close(): Promise<void> }>(
  top: At,
  list: (at: At) => AsyncIterable<Found<At>>,
): Promise<Tree> {
  const skipped: string[] = [];
  let files = 0;
  let bytes = 0;
  let entries = 0;

  async function branch(name: string, at: At, path: string, depth: number): Promise<Branch> {
    if (depth > deepest) throw tooLarge(`is more than ${deepest} folders deep: ${path}`);
    const result: Branch = { name, files: [], folders: [] };
    const inner: Found<At>[] = [];
    for await (const entry of list(at)) {
      if (++entries > maxEntries) throw tooLarge(`holds more than ${maxEntries} entries`);
      if (entry.kind === "file") {
        result.files.push({ name: entry.name, size: entry.size });
        files++;
        bytes += entry.size ?? 0;
      } else if (entry.kind === "folder") inner.push(entry);
      else if (skipped.length < maxSkipped) skipped.push(path + entry.name);
    }
    for (const entry of inner) {
      const next = await entry.open?.();
      if (next === undefined) continue;
      try {
        result.folders.push(await branch(entry.name, next, `${path}${entry.name}/`, depth + 1));
      } finally {
        await next.close();
      }
    }
    return result;
  }

  const root = await branch("", top, "", 1);
  return { root, files, bytes, skipped };
}

function tooLarge(problem: string): ServiceError {
  return new ServiceError("DriverError", `The folder ${problem}`, { reason: "TooLarge" });
}

/** Paths of all files, without a leading `/`. */
export function* filesOf({ files, folders }: Branch, path = ""): Generator<Leaf & { readonly path: string }> {
  for (const leaf of files) yield { ...leaf, path: path + leaf.name };
  for (const folder of folders) yield* filesOf(folder, `${path}${folder.name}/`);
}

/** Fails with the first error, after running transfers have ended. */
export async function eachFile(files: readonly Leaf[], work: (leaf: Leaf) => Promise<void>): Promise<void> {
  const queue = files.values();
  let failed: { error: unknown } | undefined;
  const run = async () => {
    for (const leaf of queue) {
      if (failed) return;
      await work(leaf).catch((error: unknown) => {
        failed ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(filesAtOnce, files.length) }, run));
  if (failed) throw failed.error;
}

/** Hash over the lines that `sha256sum` would print, sorted by path. */
export function hashOfAll(hashes: ReadonlyMap<string, string>): string {
  const total = createHash("sha256");
  const byPath = [...hashes].map(([path, hash]) => ({ path: Buffer.from(path), hash }));
  byPath.sort((a, b) => a.path.compare(b.path));
  for (const { path, hash } of byPath) total.update(`${hash}  `).update(path).update("\n");
  return total.digest("hex");
}
