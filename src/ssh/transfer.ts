/** Uploads and downloads a file: by SFTP with resume, or by SCP; tells the hash of the whole file. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { TimeLimit } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import type { TransferResult } from "../plugin/ssh.ts";
import type { FileTransfer } from "./file-transfer.ts";
import { sameBeginning } from "./overlap.ts";
import { drainDown, hashLocal, pumpDown, pumpUp } from "./pump.ts";
import { scpDownload, scpUpload } from "./scp.ts";
import { openSftp, type RemoteFile, type Sftp } from "./sftp.ts";
import { shortenLimit } from "./shorter-limit.ts";
import type { Transport } from "./transport.ts";

const { O_RDONLY, O_RDWR, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** Links are not followed: what the guard allowed is what is opened. */
const localFlags = {
  read: O_RDONLY | O_NOFOLLOW,
  fresh: O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW,
  continue: O_RDWR | O_CREAT | O_NOFOLLOW,
} as const;

export function upload(
  transport: Transport,
  options: FileTransfer,
  limit: TimeLimit,
): Promise<TransferResult> {
  return withLocal(options, "read", limit, async (local, limited) => {
    const total = (await local.stat()).size;
    return bySftpOrScp(
      transport,
      options,
      limited,
      (sftp) => sftpUpload(transport, sftp, local, total, options, limited),
      () => scpUpload(transport, local, total, options, limited),
    );
  });
}

export function download(
  transport: Transport,
  options: FileTransfer,
  limit: TimeLimit,
): Promise<TransferResult> {
  return withLocal(options, options.resume ? "continue" : "fresh", limit, (local, limited) =>
    bySftpOrScp(
      transport,
      options,
      limited,
      (sftp) => sftpDownload(transport, sftp, local, options, limited),
      () => scpDownload(transport, local, options, limited),
    ),
  );
}

async function withLocal<T>(
  options: FileTransfer,
  use: keyof typeof localFlags,
  limit: TimeLimit,
  work: (local: FileHandle, limit: TimeLimit) => Promise<T>,
): Promise<T> {
  const limited = shortenLimit(limit, options.timeoutMs, "The transfer");
  try {
    // Configurations and keys are moved this way: nobody else reads what is created.
    const local = await open(options.localPath, localFlags[use], 0o600).catch(
      (error: NodeJS.ErrnoException) => {
        throw new ServiceError(
          "DriverError",
          `Local file ${options.localPath}: ${error.code ?? "cannot be opened"}`,
        );
      },
    );
    try {
      return await work(local, limited);
    } finally {
      await local.close();
    }
  } finally {
    limited.release();
  }
}

async function bySftpOrScp(
  transport: Transport,
  options: FileTransfer,
  limit: TimeLimit,
  bySftp: (sftp: Sftp) => Promise<TransferResult>,
  byScp: () => Promise<TransferResult>,
): Promise<TransferResult> {
  if (options.by === "scp") {
    if (options.resume) throw new ServiceError("DriverError", "A transfer by SCP cannot be resumed");
    return byScp();
  }
  const sftp = await openSftp(transport, limit).catch((error: unknown) => {
    const mayUseScp = options.by === undefined && !options.resume;
    if (mayUseScp && error instanceof ServiceError && error.kind === "DriverError") return undefined;
    throw error;
  });
  if (sftp === undefined) return byScp();
  try {
    return await bySftp(sftp);
  } finally {
    sftp.close();
  }
}

async function sftpUpload(
  transport: Transport,
  sftp: Sftp,
  local: FileHandle,
  total: number,
  options: FileTransfer,
  limit: TimeLimit,
): Promise<TransferResult> {
  const { remotePath, chunkBytes, onProgress } = options;
  const there = options.resume ? await sftp.size(remotePath) : undefined;
  if (there !== undefined && there > total) throw mismatch("remote", "is longer than the local one");
  const start = there ?? 0;
  const hash = createHash("sha256");
  const remote = await sftp.open(remotePath, start > 0 ? "continue" : "fresh");
  if (start > 0) {
    await hashLocal(local, start, hash);
    const overlap = { transport, remotePath, local, bytes: start, sha256: hash.copy().digest("hex") };
    const reader = await sftp.open(remotePath, "read");
    const isSame = await sameBeginning({ ...overlap, remote: reader }, limit);
    await reader.close();
    if (!isSame) throw mismatch("remote", "does not begin like the local one");
  }
  let moved = 0;
  const onMoved = (bytes: number) => {
    moved += bytes;
    onProgress?.(start + moved, total);
  };
  await pumpUp({ local, remote, start, end: total, chunkBytes, hash, onMoved });
  await remote.close();
  const size = await sftp.size(remotePath);
  if (size !== total) {
    const message = `Remote file ${remotePath} has ${size ?? 0} bytes after the transfer, not ${total}`;
    throw new ServiceError("DriverError", message);
  }
  return { bytesTransferred: moved, totalBytes: total, resumed: start > 0, sha256: hash.digest("hex") };
}

async function sftpDownload(
  transport: Transport,
  sftp: Sftp,
  local: FileHandle,
  options: FileTransfer,
  limit: TimeLimit,
): Promise<TransferResult> {
  const { remotePath, chunkBytes, onProgress } = options;
  const remote: RemoteFile = await sftp.open(remotePath, "read");
  const total = await remote.size();
  const start = options.resume ? (await local.stat()).size : 0;
  if (start > total) throw mismatch("local", "is longer than the remote one");
  const hash = createHash("sha256");
  if (start > 0) {
    await hashLocal(local, start, hash);
    const overlap = { transport, remotePath, local, bytes: start, sha256: hash.copy().digest("hex"), remote };
    if (!(await sameBeginning(overlap, limit))) throw mismatch("local", "does not begin like the remote one");
  }
  let moved = 0;
  const onMoved = (bytes: number) => {
    moved += bytes;
    onProgress?.(start + moved, total);
  };
  const move = { local, remote, start, end: total, chunkBytes, hash, onMoved };
  if (total === 0) await drainDown(move);
  else await pumpDown(move);
  await remote.close();
  return {
    bytesTransferred: moved,
    totalBytes: Math.max(total, moved),
    resumed: start > 0,
    sha256: hash.digest("hex"),
  };
}

function mismatch(side: "local" | "remote", what: string): ServiceError {
  const message = `The transfer cannot be resumed: the ${side} file ${what}`;
  return new ServiceError("DriverError", message, { reason: "ResumeMismatch" });
}
