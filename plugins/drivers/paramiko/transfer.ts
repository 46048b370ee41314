/** `file_transfer` of a query: one file to or from the server. */
import type { Context, Outputs, SshConnection } from "patchbay/plugin";
import type { FileTransfer } from "./args.ts";
import type { Tools } from "./connection.ts";

export const transferMarker = "__FILE_TRANSFER__";

/** @throws PluginError DriverError: a path outside of the transfer folders, or the server's own words */
export async function transfer(
  { files }: Tools,
  server: SshConnection,
  asked: FileTransfer,
  ctx: Context,
): Promise<Outputs> {
  const { operation, local_path, remote_path, resume, chunk_size, timeout } = asked;
  const localPath = await files.localFile(local_path, operation === "upload" ? "read" : "write");
  const moved = await server[operation](
    {
      localPath,
      remotePath: remote_path,
      by: "sftp",
      ...(resume === undefined ? {} : { resume }),
      ...(chunk_size === undefined ? {} : { chunkBytes: chunk_size }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
    },
    ctx,
  );
  const transfer_result = {
    success: true,
    local_path,
    remote_path,
    bytes_transferred: moved.bytesTransferred,
    total_bytes: moved.totalBytes,
    resumed: moved.resumed,
    sha256: moved.sha256,
  };
  const output = { output: "", error: "", exit_status: 0, transfer_result };
  return [{ command: `file_transfer_${operation}`, output }];
}
