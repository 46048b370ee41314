/** Transfers a folder with its contents by SFTP, many files concurrently, each like a single one. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { ServiceError } from "../../../base/errors.ts";
import type { OpenFolder } from "../../../base/files/open-folder.ts";
import type { TransferResult } from "../../../plugin/kit/ssh.ts";
import { receiveFile } from "./download.ts";
import { differs, exists, localError, type Moving } from "./file-transfer.ts";
import { hashLocal } from "./pump.ts";
import { hashesOnServer } from "./remote-hash.ts";
import { type Branch, eachFile, filesOf, hashOfAll, localTree, remoteTree, type Tree } from "./tree.ts";
import { type Sent, sendFile } from "./upload.ts";

const { O_RDONLY } = constants;
/** Bytes in flight per file of a folder: many files are in flight at once. */
const bytesOfOne = 256 * 1024;

export async function uploadFolder(moving: Moving, folder: OpenFolder): Promise<TransferResult> {
  const { sftp, options } = moving;
  const top = options.remotePath.replace(/(?<=.)\/+$/, "");
  const tree = await localTree(folder);
  const existing = await sftp.stat(top);
  if (existing !== undefined && options.overwrite === false) throw exists("Remote", top);
  if (existing !== undefined && existing.kind !== "folder")
    throw new ServiceError("DriverError", `Remote folder ${top}: is not a folder`);
  const work = record(moving, tree);
  const same = existing ? await sameFiles(moving, tree, top, folder) : new Map<string, string>();
  const send = async (branch: Branch, local: OpenFolder, path: string, fresh: boolean): Promise<void> => {
    if (fresh) await sftp.mkdir(top + path.replace(/\/$/, ""));
    await eachFile(branch.files, async ({ name, size }) => {
      const key = `${path}${name}`.slice(1);
      const sameHash = same.get(key);
      if (sameHash !== undefined) return work.had(key, sameHash, size ?? 0);
      const file = await local.open(name, O_RDONLY);
      try {
        const source = await file.stat();
        const job = {
          local: file,
          source,
          path: `${top}${path}${name}`,
          fresh,
          partsOnly: true,
          onMoved: work.moved,
        };
        work.sent(key, await sendFile(oneOfMany(moving), job));
      } finally {
        await file.close();
      }
    });
    for (const inner of branch.folders) {
      const next = await local.folder(inner.name);
      try {
        const at = `${path}${inner.name}/`;
        const stat = fresh ? undefined : await sftp.stat(top + at.slice(0, -1));
        await send(inner, next, at, stat === undefined);
      } finally {
        await next.close();
      }
    }
  };
  await send(tree.root, folder, "/", existing === undefined).catch((error: unknown) => {
    throw localError(options.localPath, error);
  });
  return work.result(top);
}

export async function downloadFolder(
  moving: Moving,
  parent: OpenFolder,
  name: string,
): Promise<TransferResult> {
  const { sftp, options } = moving;
  const top = options.remotePath.replace(/(?<=.)\/+$/, "");
  const tree = await remoteTree(sftp, top);
  if (options.overwrite === false && (await parent.look(name)) !== undefined)
    throw exists("Local", options.localPath);
  const work = record(moving, tree);
  const receive = async (branch: Branch, local: OpenFolder, path: string): Promise<void> => {
    await eachFile(branch.files, async ({ name: file, size }) => {
      const key = `${path}${file}`.slice(1);
      const sameHash = same.get(key);
      if (sameHash !== undefined) return work.had(key, sameHash, size ?? 0);
      const job = {
        path: `${top}${path}${file}`,
        folder: local,
        name: file,
        partsOnly: true,
        onMoved: work.moved,
      };
      work.sent(key, await receiveFile(oneOfMany(moving), job));
    });
    for (const inner of branch.folders) {
      options.take?.(0, 1);
      const next = await local.folder(inner.name, true);
      try {
        await receive(inner, next, `${path}${inner.name}/`);
      } finally {
        await next.close();
      }
    }
  };
  const folder = await parent.folder(name, true).catch((error: unknown) => {
    throw localError(options.localPath, error);
  });
  const same = await sameFiles(moving, tree, top, folder);
  try {
    await receive(tree.root, folder, "/");
  } catch (error) {
    throw localError(options.localPath, error);
  } finally {
    await folder.close();
  }
  return work.result(top);
}

/** The hashes of all files are requested together, at the end. */
function oneOfMany(moving: Moving): Moving {
  return {
    ...moving,
    options: { ...moving.options, overwrite: true, verify: false },
    bytesAtOnce: bytesOfOne,
  };
}

/** Files that `resume` can skip: same size and hash on both sides. Without a shell all files are transferred again. */
async function sameFiles(
  moving: Moving,
  tree: Tree,
  top: string,
  local: OpenFolder,
): Promise<Map<string, string>> {
  const { sftp, transport, options, limit } = moving;
  const same = new Map<string, string>();
  if (options.resume !== true) return same;
  const remote = await remoteTree(sftp, top);
  const sizes = new Map([...filesOf(remote.root)].map(({ path, size }) => [path, size]));
  const candidates = [...filesOf(tree.root)].flatMap(({ path, size }) =>
    size !== undefined && sizes.get(path) === size ? [{ path, size }] : [],
  );
  const ours: { path: string; hash: string }[] = [];
  for (const { path, size } of candidates) {
    const hash = await hashBelow(local, path.split("/"), size);
    if (hash !== undefined) ours.push({ path, hash });
  }
  const paths = ours.map(({ path }) => path);
  const theirs = (await hashesOnServer(transport, top, paths, limit)) ?? [];
  for (const [at, { path, hash }] of ours.entries()) if (theirs[at] === hash) same.set(path, hash);
  return same;
}

/** Undefined if there is no file of that size. */
async function hashBelow(
  at: OpenFolder,
  [name = "", ...deeper]: string[],
  size: number,
): Promise<string | undefined> {
  const stat = await at.look(name);
  if (deeper.length > 0) {
    if (!stat?.isDirectory()) return undefined;
    const next = await at.folder(name);
    return hashBelow(next, deeper, size).finally(() => next.close());
  }
  if (!stat?.isFile() || stat.size !== size) return undefined;
  const file = await at.open(name, O_RDONLY);
  const hash = createHash("sha256");
  await hashLocal(file, size, hash).finally(() => file.close());
  return hash.digest("hex");
}

/** Counts the transferred bytes and reports progress. */
function record({ options, transport, limit }: Moving, tree: Tree) {
  const hashes = new Map<string, string>();
  let doneBytes = 0;
  let movedBytes = 0;
  let totalBytes = 0;
  let resumed = false;
  const reportProgress = () => options.onProgress?.(doneBytes, Math.max(tree.bytes, doneBytes));
  return {
    moved(bytes: number) {
      doneBytes += bytes;
      reportProgress();
    },
    had(path: string, hash: string, bytes: number) {
      hashes.set(path, hash);
      resumed = true;
      totalBytes += bytes;
      doneBytes += bytes;
      reportProgress();
    },
    sent(path: string, file: Sent) {
      hashes.set(path, file.sha256);
      movedBytes += file.moved;
      totalBytes += file.total;
      resumed ||= file.resumed;
    },
    async result(top: string): Promise<TransferResult> {
      const paths = [...hashes.keys()];
      const theirs = options.verify ? await hashesOnServer(transport, top, paths, limit) : undefined;
      for (const [at, hash] of (theirs ?? []).entries())
        if (hashes.get(paths[at] ?? "") !== hash) throw differs(`${top}/${paths[at]}`);
      const sha256 = hashOfAll(hashes);
      return {
        bytesTransferred: movedBytes,
        totalBytes,
        resumed,
        sha256,
        ...(theirs === undefined ? {} : { remoteSha256: sha256 }),
        files: hashes.size,
        ...(tree.skipped.length === 0 ? {} : { skipped: tree.skipped }),
      };
    },
  };
}
