/** Downloads one file by SFTP, either in place or under a temporary name until it is complete. */
import { createHash, type Hash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, link, rename, unlink } from "node:fs/promises";
import { ServiceError } from "../../../base/errors.ts";
import type { OpenFolder } from "../../../base/files/open-folder.ts";
import { differs, exists, localError, type Moving, mismatch, partName } from "./file-transfer.ts";
import { beginsSame } from "./overlap.ts";
import { drainDown, pumpDown } from "./pump.ts";
import { hashOnServer } from "./remote-hash.ts";
import type { RemoteFile, RemoteStat } from "./sftp.ts";
import { messageOfServer } from "./sftp-error.ts";
import type { Sent } from "./upload.ts";

const { O_RDWR, O_CREAT, O_TRUNC } = constants;
/** Transfers include configurations and keys: new files are readable by the owner only. */
const ownMode = 0o600;

export interface ReceiveOptions {
  readonly path: string;
  readonly folder: OpenFolder;
  /** File name within the folder. */
  readonly name: string;
  /** Does not resume from a file that an earlier transfer left under the final name. */
  readonly partsOnly?: boolean;
  onMoved(bytes: number, start: number, total: number): void;
}

/** The file being written, and its current length. */
interface Destination {
  readonly name: string;
  readonly file: FileHandle;
  readonly start: number;
  readonly isPart: boolean;
}

export async function receiveFile(moving: Moving, job: ReceiveOptions): Promise<Sent> {
  const { sftp, options } = moving;
  const { folder, name, path } = job;
  const before = await folder.look(name);
  if (options.overwrite === false && before !== undefined) throw exists("Local", options.localPath);
  const source = await sourceOf(moving, path);
  if (source === undefined) throw new ServiceError("DriverError", `Remote file ${path}: No such file`);
  // A pipe or a device may never end.
  if (source.kind !== "file") throw new ServiceError("DriverError", `Remote file ${path}: is not a file`);
  const remote = await sftp.open(path, "read");
  try {
    const hash = createHash("sha256");
    options.take?.(0, 1);
    const to = await destination(moving, job, remote, source, before, hash);
    try {
      return await read(moving, job, remote, source, before, to, hash);
    } catch (error) {
      await discard(error, to, folder);
      throw error;
    } finally {
      await to.file.close();
    }
  } catch (error) {
    throw localError(options.localPath, error);
  } finally {
    await remote.close().catch(() => {});
  }
}

/** A server that tells nothing about a file may still send it. */
async function sourceOf({ sftp, warn }: Moving, path: string): Promise<RemoteStat | undefined> {
  try {
    return await sftp.stat(path);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== "DriverError") throw error;
    warn(`The server tells nothing about the remote file (${messageOfServer(error)})`);
    const none = undefined;
    return { kind: "file", size: none, mode: none, uid: none, gid: none, mtime: none };
  }
}

/** A refused transfer cannot be resumed, so its part is removed; an interrupted one can, with `resume`. */
async function discard(error: unknown, { name, isPart }: Destination, folder: OpenFolder): Promise<void> {
  const isCut = error instanceof ServiceError && error.kind !== "DriverError";
  if (isPart && !isCut) await unlink(folder.at(name)).catch(() => {});
}

async function destination(
  moving: Moving,
  job: ReceiveOptions,
  remote: RemoteFile,
  source: RemoteStat,
  before: Stats | undefined,
  hash: Hash,
): Promise<Destination> {
  const { resume, atomic } = moving.options;
  const { folder, name } = job;
  const partFile = partName(name, { size: source.size ?? 0, mtimeS: source.mtime ?? 0 });
  const open = (at: string, more = 0) => folder.open(at, O_RDWR | O_CREAT | more, ownMode);
  const continues = (local: FileHandle, bytes: number) =>
    beginsSame(
      { transport: moving.transport, remotePath: job.path, remote, local, bytes },
      moving.limit,
      hash,
    );
  // Without a size nothing proves that a part belongs to the file.
  const { size } = source;
  if (
    resume === true &&
    size !== undefined &&
    atomic === true &&
    (await folder.look(partFile)) !== undefined
  ) {
    const file = await open(partFile);
    const start = (await file.stat()).size;
    const isSame = start <= size && (await continues(file, start));
    return { name: partFile, file, start: isSame ? start : 0, isPart: true };
  }
  if (
    resume === true &&
    size !== undefined &&
    job.partsOnly !== true &&
    before !== undefined &&
    before.size > 0
  ) {
    const start = before.size;
    if (start > size) throw mismatch("local", "is longer than the remote one");
    const file = await open(name);
    if (await continues(file, start)) return { name, file, start, isPart: false };
    await file.close();
    throw mismatch("local", "does not start like the remote one");
  }
  // Fails before the transfer if the target is a symbolic link or not writable.
  if (before !== undefined && atomic === true) await (await folder.open(name, O_RDWR)).close();
  return atomic === true
    ? { name: partFile, file: await open(partFile), start: 0, isPart: true }
    : { name, file: await open(name, O_TRUNC), start: 0, isPart: false };
}

async function read(
  moving: Moving,
  { folder, name, path, onMoved }: ReceiveOptions,
  remote: RemoteFile,
  source: RemoteStat,
  before: Stats | undefined,
  { file, start, isPart, ...to }: Destination,
  hash: Hash,
): Promise<Sent> {
  const { limit, options, bytesAtOnce } = moving;
  // Files of /proc have no size either: they are read up to their end.
  const end = source.size ?? 0;
  let movedBytes = 0;
  const countMoved = (bytes: number) => {
    movedBytes += bytes;
    onMoved(bytes, start, end);
  };
  if (start === end && start > 0) onMoved(0, start, end);
  const move = {
    local: file,
    remote,
    start,
    end,
    chunkBytes: options.chunkBytes,
    take: options.take,
    bytesAtOnce,
    hash,
    onMoved: countMoved,
  };
  if (end === 0) await drainDown(move);
  else {
    options.take?.(end - start);
    await pumpDown(move);
  }
  const total = Math.max(end, movedBytes);
  const sha256 = hash.digest("hex");
  await file.truncate(total);
  if (isPart || options.mode !== undefined) await file.chmod(options.mode ?? modeOf(before));
  const [remoteSha256] = await Promise.all([
    options.verify ? hashOfSource(moving, path, total, sha256) : undefined,
    isPart ? file.sync() : undefined,
  ]);
  if (remoteSha256 !== undefined && remoteSha256 !== sha256) throw differs(path);
  if (isPart) {
    if (limit.signal.aborted) throw limit.signal.reason;
    await putInPlace(folder, to.name, name, options.overwrite !== false);
  }
  return {
    moved: movedBytes,
    total,
    resumed: start > 0,
    sha256,
    ...(remoteSha256 === undefined ? {} : { remoteSha256 }),
  };
}

/** A log may grow during the transfer; then only the hash of the bytes that were read counts. */
async function hashOfSource({ transport, limit }: Moving, path: string, bytes: number, ours: string) {
  const remoteSha256 = await hashOnServer(transport, path, bytes, limit, true);
  return remoteSha256 === undefined || remoteSha256 === ours
    ? remoteSha256
    : hashOnServer(transport, path, bytes, limit);
}

const modeOf = (before: Stats | undefined) => (before === undefined ? ownMode : before.mode & 0o777);

async function putInPlace(folder: OpenFolder, from: string, to: string, replace: boolean): Promise<void> {
  if (replace) return rename(folder.at(from), folder.at(to));
  // Unlike rename, link fails if the target exists.
  await link(folder.at(from), folder.at(to));
  await unlink(folder.at(from));
}
