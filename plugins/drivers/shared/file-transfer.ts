/** `file_transfer` of a query as every driver takes it, asks for it, and tells what came of it. */
import type { Outputs, TransferOptions, TransferResult } from "patchbay/plugin";
import * as v from "valibot";
import { flag, optional, path, positiveSeconds } from "./fields.ts";

export const fileTransfer = v.object({
  operation: v.picklist(["upload", "download"]),
  local_path: path,
  remote_path: path,
  resume: optional(flag),
  chunk_size: optional(v.pipe(v.number(), v.integer(), v.minValue(1024), v.maxValue(1_048_576))),
  timeout: optional(positiveSeconds),
});
export type FileTransfer = v.InferOutput<typeof fileTransfer>;

/** @param localPath below the operator's folders, as the guard gave it */
export function transferOptions(
  { remote_path, resume, chunk_size, timeout }: FileTransfer,
  localPath: string,
): TransferOptions {
  return {
    localPath,
    remotePath: remote_path,
    ...(resume === undefined ? {} : { resume }),
    ...(chunk_size === undefined ? {} : { chunkBytes: chunk_size }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
  };
}

/** @param moved `verified` where the device was asked for its own hash */
export function transferOutputs(
  { operation, local_path, remote_path }: FileTransfer,
  moved: TransferResult & { readonly verified?: boolean },
): Outputs {
  const { remoteSha256, files, skipped } = moved;
  const transfer_result = {
    success: true,
    local_path,
    remote_path,
    bytes_transferred: moved.bytesTransferred,
    total_bytes: moved.totalBytes,
    resumed: moved.resumed,
    sha256: moved.sha256,
    ...(remoteSha256 === undefined ? {} : { remote_sha256: remoteSha256 }),
    ...(files === undefined ? {} : { files }),
    ...(skipped === undefined ? {} : { skipped }),
    ...(moved.verified === undefined ? {} : { verified: moved.verified }),
  };
  const output = { output: "", error: "", exit_status: 0, transfer_result };
  return [{ command: `file_transfer_${operation}`, output }];
}
