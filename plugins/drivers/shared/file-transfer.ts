/** `file_transfer` of a query: validation, options and results common to all drivers. */
import type { Command, Outputs, TransferOptions, TransferResult } from "patchbay/plugin";
import { laxNumber, PluginError } from "patchbay/plugin";
import * as v from "valibot";
import { flag, optional, path, positiveSeconds } from "./fields.ts";

export const fileTransfer = v.object({
  operation: v.pipe(v.picklist(["upload", "download"]), v.description("Direction: to the device or from it")),
  local_path: v.pipe(
    path,
    v.metadata({
      description:
        "Path on this node, below `PATCHBAY_TRANSFER_ROOTS`; a relative path is resolved against each of them in turn",
      examples: ["images/router.bin"],
    }),
  ),
  remote_path: v.pipe(
    path,
    v.metadata({
      description: "Path on the device; on a server a relative path starts in the user's home directory",
      examples: ["/var/tmp/router.bin"],
    }),
  ),
  resume: optional(
    flag,
    "Resumes an earlier transfer of the same file, after comparing the hash of the existing part. In a directory, skips files that already have the same hash",
    { default: false },
  ),
  chunk_size: optional(
    v.pipe(laxNumber(), v.integer(), v.minValue(1)),
    "Maximum bytes per request, from 1,024 up to the server's limit; up to 2 MiB are in flight at once. Default: the best size for the server",
    { examples: [32_768] },
  ),
  timeout: optional(positiveSeconds, "Seconds for the transfer. Default: unlimited", { examples: [600] }),
});
export type FileTransfer = v.InferOutput<typeof fileTransfer>;

const marker = "__FILE_TRANSFER__";
const unparsed = "cannot be used with a file transfer: its result is structured already";

/**
 * The marker must be the only command of a transfer. A template is refused, because a mismatch would fail the job after
 * the file was transferred.
 */
export function transferFaults(
  commands: readonly Command[],
  { file_transfer }: { readonly file_transfer?: FileTransfer | undefined },
  isParsed = false,
): { path: string; message: string }[] {
  const isMarked = commands.includes(marker);
  if (file_transfer === undefined)
    return isMarked ? [{ path: "driver_args.file_transfer", message: `is required with ${marker}` }] : [];
  return [
    ...(isMarked && commands.length === 1
      ? []
      : [{ path: "command", message: `must be ["${marker}"] with file_transfer` }]),
    ...(isParsed ? [{ path: "parsing", message: unparsed }] : []),
  ];
}

/** @throws PluginError DriverError with the message that a submission returns */
export function requireTransfer(...args: Parameters<typeof transferFaults>): void {
  const [fault] = transferFaults(...args);
  if (fault) throw new PluginError("DriverError", `${fault.path}: ${fault.message}.`, { outcome: "none" });
}

/** @param localPath path below the operator's folders, from the path guard */
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

/** @param transferred `verified` if the device computed its own hash */
export function transferOutputs(
  { operation, local_path, remote_path }: FileTransfer,
  transferred: TransferResult & { readonly verified?: boolean },
): Outputs {
  const { remoteSha256, files, skipped } = transferred;
  const transfer_result = {
    success: true,
    local_path,
    remote_path,
    bytes_transferred: transferred.bytesTransferred,
    total_bytes: transferred.totalBytes,
    resumed: transferred.resumed,
    sha256: transferred.sha256,
    ...(remoteSha256 === undefined ? {} : { remote_sha256: remoteSha256 }),
    ...(files === undefined ? {} : { files }),
    ...(skipped === undefined ? {} : { skipped }),
    ...(transferred.verified === undefined ? {} : { verified: transferred.verified }),
  };
  const message = `File transfer completed: ${transferred.bytesTransferred}/${transferred.totalBytes} bytes`;
  const output = { output: message, error: "", exit_status: 0, transfer_result };
  return [{ command: `file_transfer_${operation}`, output }];
}
