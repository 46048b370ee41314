/** Uploads one file by SFTP, either in place or under a temporary name until it is complete. */
import { createHash, type Hash } from "node:crypto";
import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import { ServiceError } from "../../../base/errors.ts";
import { abortReason } from "../../../base/time/deadline.ts";
import { differs, exists, type Moving, mismatch, partName } from "./file-transfer.ts";
import { beginsSame } from "./overlap.ts";
import { pumpUp } from "./pump.ts";
import { hashOnServer } from "./remote-hash.ts";
import { replaceFile, restoreAside } from "./replace-file.ts";
import type { RemoteFile, RemoteStat, Sftp } from "./sftp.ts";
import { messageOfServer, saysStatus, status } from "./sftp-error.ts";

export interface Sent {
  /** Bytes transferred by this call. */
  readonly moved: number;
  readonly total: number;
  readonly resumed: boolean;
  readonly sha256: string;
  readonly remoteSha256?: string;
}

export interface SendOptions {
  readonly local: FileHandle;
  /** Of the local file. */
  readonly source: Stats;
  readonly path: string;
  /** The folder was just created, so no file exists. */
  readonly fresh?: boolean;
  /** Does not resume from a file that another transfer left under the final name. */
  readonly partsOnly?: boolean;
  onMoved(bytes: number, start: number): void;
}

interface Target {
  readonly path: string;
  readonly stat: RemoteStat | undefined;
}

/** The file being written, and its current length. */
interface Destination {
  readonly path: string;
  readonly start: number;
  readonly isPart: boolean;
}

export async function sendFile(moving: Moving, job: SendOptions): Promise<Sent> {
  const { sftp, options } = moving;
  const { source, fresh = false } = job;
  const target: Target = fresh ? { path: job.path, stat: undefined } : await targetOf(moving, job.path);
  if (target.stat?.kind === "folder")
    throw new ServiceError("DriverError", `Remote file ${target.path}: is a folder`);
  if (options.overwrite === false && target.stat !== undefined) throw exists("Remote", target.path);
  const hash = createHash("sha256");
  const to = await destination(moving, job, target, hash);
  try {
    return await write(moving, job, target, to, hash);
  } catch (error) {
    // A transfer that the server refused cannot be resumed, so its part is removed; an interrupted one can, with
    // `resume`.
    const isRefused = error instanceof ServiceError && error.kind === "DriverError";
    if (to.isPart && isRefused && error.detail?.reason !== "NotPutBack")
      await sftp.remove(to.path).catch(() => {});
    throw await withReason(error, sftp, target.path, source.size);
  }
}

/** Follows links: replaces the file that a link points to, not the link. */
async function targetOf(moving: Moving, path: string): Promise<Target> {
  const { sftp } = moving;
  const stat = await told(moving, sftp.lstat(path));
  if (stat?.kind === "link") {
    const real = await sftp.realpath(path);
    return { path: real, stat: await told(moving, sftp.stat(real)) };
  }
  if (stat === undefined && (await restoreAside(moving, path))) return targetOf(moving, path);
  return { path, stat };
}

/** A server that tells nothing about a file may still take one. */
async function told(
  { warn }: Moving,
  asked: Promise<RemoteStat | undefined>,
): Promise<RemoteStat | undefined> {
  try {
    return await asked;
  } catch (error) {
    ignoreRefusal(error);
    warn(`The server does not tell whether the remote file exists (${messageOfServer(error)})`);
    return undefined;
  }
}

async function destination(
  moving: Moving,
  job: SendOptions,
  target: Target,
  hash: Hash,
): Promise<Destination> {
  const { options, sftp } = moving;
  const { size, mtimeMs } = job.source;
  const inPlace = options.atomic !== true || target.stat?.kind === "other";
  const partPath = posix.join(
    posix.dirname(target.path),
    partName(posix.basename(target.path), { size, mtimeS: mtimeMs / 1000 }),
  );
  if (options.resume === true && !inPlace) {
    const start = (await told(moving, sftp.stat(partPath)))?.size;
    if (start !== undefined && start <= size && (await continues(moving, job, partPath, start, hash)))
      return { path: partPath, start, isPart: true };
  }
  if (options.resume === true && job.partsOnly !== true && target.stat?.size !== undefined) {
    const start = target.stat.size;
    if (start > size) throw mismatch("remote", "is longer than the local one");
    if (!(await continues(moving, job, target.path, start, hash)))
      throw mismatch("remote", "does not start like the local one");
    if (start > 0) return { path: target.path, start, isPart: false };
  }
  return { path: inPlace ? target.path : partPath, start: 0, isPart: !inPlace };
}

/** Feeds the existing beginning into `hash` if it matches. */
async function continues(
  { transport, sftp, limit }: Moving,
  { local }: SendOptions,
  remotePath: string,
  bytes: number,
  hash: Hash,
): Promise<boolean> {
  if (bytes === 0) return true;
  const remote = await sftp.open(remotePath, "read");
  const asked = { transport, remotePath, local, remote, bytes };
  return beginsSame(asked, limit, hash).finally(() => remote.close().catch(() => {}));
}

async function write(
  moving: Moving,
  job: SendOptions,
  target: Target,
  to: Destination,
  hash: Hash,
): Promise<Sent> {
  const { sftp, options, transport, limit, warn } = moving;
  const { local, source } = job;
  const { start } = to;
  const total = source.size;
  let movedBytes = 0;
  const countMoved = (bytes: number) => {
    movedBytes += bytes;
    job.onMoved(bytes, start);
  };
  if (start === total && start > 0) job.onMoved(0, start);
  const remote = await openTarget(sftp, job, target, to);
  const move = {
    local,
    remote,
    start,
    end: total,
    chunkBytes: options.chunkBytes,
    bytesAtOnce: moving.bytesAtOnce,
    hash,
    onMoved: countMoved,
  };
  let hashes: { sha256: string; remoteSha256?: string };
  try {
    await pumpUp(move);
    await settle(remote, moving, target, to, total);
    const sha256 = hash.digest("hex");
    const [remoteSha256] = await Promise.all([
      options.verify ? hashOnServer(transport, to.path, total, limit, true) : undefined,
      to.isPart ? remote.sync().then((isSynced) => isSynced || warn(notFlushed)) : undefined,
    ]);
    hashes = remoteSha256 === undefined ? { sha256 } : { sha256, remoteSha256 };
  } catch (error) {
    await remote.close().catch(() => {});
    throw error;
  }
  await remote.close();
  const { sha256, remoteSha256 = sha256 } = hashes;
  if (remoteSha256 !== sha256) throw differs(target.path);
  if (to.isPart) {
    if (limit.signal.aborted) throw abortReason(limit.signal);
    if (options.overwrite === false) await sftp.rename(to.path, target.path);
    else await replaceFile(moving, to.path, target.path);
  }
  return { moved: movedBytes, total, resumed: start > 0, ...hashes };
}

function openTarget(
  sftp: Sftp,
  { source }: SendOptions,
  target: Target,
  to: Destination,
): Promise<RemoteFile> {
  if (!to.isPart) return sftp.open(to.path, to.start > 0 ? "continue" : "fresh");
  // Does not truncate: another transfer of the same file may be about to rename it.
  return sftp.open(to.path, "either", target.stat === undefined ? source.mode & 0o777 : 0o600);
}

const notFlushed = "The server cannot flush files to its disk (fsync): it does so in its own time";

/** Compares the final size; sets the requested permissions, or those of the replaced file. */
async function settle(
  remote: RemoteFile,
  { options, warn }: Moving,
  target: Target,
  to: Destination,
  total: number,
): Promise<void> {
  const replaced = to.isPart ? target.stat : undefined;
  const isPlain = target.stat?.kind !== "other";
  const now = isPlain ? await remote.stat().catch(ignoreRefusal) : undefined;
  if (now?.size === undefined) {
    if (isPlain && options.verify !== false)
      warn("The server does not tell the size of the uploaded file: it was not compared");
  } else if (now.size !== total && options.verify !== false) {
    const message = `Remote file ${target.path} has ${now.size} bytes after the transfer, not ${total}`;
    throw new ServiceError("DriverError", message);
  }
  // Only root can change owners; a new file of any other user stays that user's own.
  const { uid, gid, mode } = replaced ?? {};
  if (now && uid !== undefined && gid !== undefined && (uid !== now.uid || gid !== now.gid))
    await remote.chown(uid, gid).catch(ignoreRefusal);
  if (options.mode !== undefined) return remote.chmod(options.mode);
  if (mode !== undefined && mode !== now?.mode)
    await remote.chmod(mode).catch((error: unknown) => {
      ignoreRefusal(error);
      warn(
        `The server does not set permissions (${messageOfServer(error)}): the new file does not have those of the replaced one`,
      );
    });
}

/** The server has answered that it does not do this. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.kind !== "DriverError") throw error;
}

/** SFTP reports a full disk only as `Failure`. */
async function withReason(error: unknown, sftp: Sftp, path: string, bytes: number): Promise<unknown> {
  if (!saysStatus(error, status.failure) || !(error instanceof ServiceError)) return error;
  const free = await sftp.free(posix.dirname(path)).catch(() => undefined);
  if (free === undefined || free >= bytes) return error;
  const message = `${error.message}: its disk has ${free} bytes left for ${bytes}`;
  return new ServiceError(error.kind, message, { ...error.detail, reason: "DiskFull" }, { cause: error });
}
