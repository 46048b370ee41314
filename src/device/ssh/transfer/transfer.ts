/** Uploads and downloads a file or folder by SFTP, or a file by SCP; reports the hash of the whole. */
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { ServiceError } from "../../../base/errors.ts";
import { type OpenFolder, openFolderOf } from "../../../base/files/open-folder.ts";
import { createDeadline, onAbort, type TimeLimit } from "../../../base/time/deadline.ts";
import type { TransferResult } from "../../../plugin/kit/ssh.ts";
import type { Transport } from "../transport.ts";
import { receiveFile } from "./download.ts";
import { type FileTransfer, localError, type Moving } from "./file-transfer.ts";
import { downloadFolder, uploadFolder } from "./folders.ts";
import { scpDownload, scpUpload } from "./scp.ts";
import { openSftp } from "./sftp.ts";
import { type Sent, sendFile } from "./upload.ts";

const { O_RDONLY, O_RDWR, O_CREAT, O_TRUNC } = constants;

/** Of one transfer. */
const mostWarnings = 20;

export function upload(
  transport: Transport,
  options: FileTransfer,
  limit: TimeLimit,
): Promise<TransferResult> {
  return inFolder(options, limit, async (folder, name, limited) => {
    if (options.recursive === true) {
      const inner = await folder.folder(name);
      return withSftp(transport, options, limited, (moving) => uploadFolder(moving, inner)).finally(() =>
        inner.close(),
      );
    }
    return withFile(await folder.open(name, O_RDONLY), async (local) => {
      const source = await local.stat();
      return withSftp(
        transport,
        options,
        limited,
        async (moving) => {
          let doneBytes = 0;
          const onMoved = (bytes: number, start: number) => {
            doneBytes += bytes;
            options.onProgress?.(start + doneBytes, source.size);
          };
          return resultOf(await sendFile(moving, { local, source, path: options.remotePath, onMoved }));
        },
        () => scpUpload(transport, local, source.size, options, limited),
      );
    });
  });
}

export function download(
  transport: Transport,
  options: FileTransfer,
  limit: TimeLimit,
): Promise<TransferResult> {
  return inFolder(options, limit, (folder, name, limited) =>
    withSftp(
      transport,
      options,
      limited,
      async (moving) => {
        if (options.recursive === true) return downloadFolder(moving, folder, name);
        let doneBytes = 0;
        const onMoved = (bytes: number, start: number, total: number) => {
          doneBytes += bytes;
          options.onProgress?.(start + doneBytes, total);
        };
        return resultOf(await receiveFile(moving, { path: options.remotePath, folder, name, onMoved }));
      },
      async () => {
        const local = await folder.open(name, O_RDWR | O_CREAT | O_TRUNC, 0o600);
        return withFile(local, () => scpDownload(transport, local, options, limited));
      },
    ),
  );
}

function resultOf({ moved, total, resumed, sha256, remoteSha256 }: Sent): TransferResult {
  const same = { bytesTransferred: moved, totalBytes: total, resumed, sha256 };
  return remoteSha256 === undefined ? same : { ...same, remoteSha256 };
}

/** Keeps the folder of the local file open, so that the folder that was checked is the one used. */
async function inFolder<T>(
  options: FileTransfer,
  limit: TimeLimit,
  work: (folder: OpenFolder, name: string, limit: TimeLimit) => Promise<T>,
): Promise<T> {
  const limited = shortenLimit(limit, options.timeoutMs, "The transfer");
  try {
    const { folder, name } = await openFolderOf(options.localPath, options.roots);
    try {
      return await work(folder, name, limited);
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw localError(options.localPath, error);
  } finally {
    limited.release();
  }
}

async function withFile<T>(file: FileHandle, work: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** @param byScp absent if the transfer requires SFTP */
async function withSftp(
  transport: Transport,
  options: FileTransfer,
  limit: TimeLimit,
  bySftp: (moving: Moving) => Promise<TransferResult>,
  byScp?: () => Promise<TransferResult>,
): Promise<TransferResult> {
  const sftpOnly = [options.resume, options.atomic, options.recursive, byScp === undefined].includes(true);
  if (options.by === "scp" && byScp !== undefined) {
    if (!sftpOnly) return byScp();
    throw new ServiceError("DriverError", "A transfer by SCP cannot be resumed");
  }
  const sftp = await openSftp(transport, limit).catch((error: unknown) => {
    const mayUseScp = options.by === undefined && !sftpOnly;
    if (mayUseScp && error instanceof ServiceError && error.kind === "DriverError") return undefined;
    throw error;
  });
  if (sftp === undefined)
    return byScp?.() ?? Promise.reject(new ServiceError("Internal", "There is no SFTP."));
  try {
    return await bySftp({ transport, sftp, options, limit, warn: warnOnce(options) });
  } finally {
    sftp.close();
  }
}

/** Says each thing once, however many files it is about. */
function warnOnce({ onWarning }: FileTransfer): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message) || said.size >= mostWarnings) return;
    said.add(message);
    onWarning?.(message);
  };
}

/** A time limit that ends before the task's own. */
interface ShorterLimit extends TimeLimit {
  /** Call when the work is done: it holds a timer and a listener. */
  release(): void;
}

/** @param operation the limited operation, as in `The transfer did not end within 5 seconds` */
function shortenLimit(limit: TimeLimit, afterMs: number | undefined, operation: string): ShorterLimit {
  if (afterMs === undefined) {
    return { signal: limit.signal, remaining: () => limit.remaining(), release: () => {} };
  }
  const late = () =>
    new ServiceError("ReadTimeout", `${operation} did not end within ${afterMs / 1000} seconds`);
  const deadline = createDeadline(afterMs, late);
  const unlisten = onAbort(limit.signal, (reason) => deadline.abort(reason));
  return {
    signal: deadline.signal,
    remaining: () => Math.min(deadline.remaining(), limit.remaining()),
    release() {
      unlisten();
      deadline.dispose();
    },
  };
}
