/** `file_transfer` of a query: one file to or from the device, its hash checked there where it can. */
import type { CliSession, Context, Outputs } from "patchbay/plugin";
import type { QueryArgs } from "./args.ts";
import type { Tools } from "./connection.ts";

export async function transfer(
  kit: Tools,
  cli: CliSession,
  request: NonNullable<QueryArgs["file_transfer"]>,
  ctx: Context,
): Promise<Outputs> {
  const { operation, local_path, remote_path } = request;
  const local = await kit.files.localFile(local_path, operation === "upload" ? "read" : "write");
  const moved = await cli[operation](
    {
      localPath: local,
      remotePath: remote_path,
      ...(request.resume === undefined ? {} : { resume: request.resume }),
      ...(request.chunk_size === undefined ? {} : { chunkBytes: request.chunk_size }),
      ...(request.timeout === undefined ? {} : { timeoutMs: request.timeout * 1000 }),
    },
    ctx,
  );
  return [
    {
      command: `file_transfer_${operation}`,
      output: {
        output: "",
        error: "",
        exit_status: 0,
        transfer_result: {
          success: true,
          local_path,
          remote_path,
          bytes_transferred: moved.bytesTransferred,
          total_bytes: moved.totalBytes,
          resumed: moved.resumed,
          sha256: moved.sha256,
          verified: moved.verified,
        },
      },
    },
  ];
}
