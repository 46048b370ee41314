/** `file_transfer` of a query: one file to or from the device, its hash checked there where it can. */
import type { CliSession, Context, Outputs } from "patchbay/plugin";
import type { QueryArgs } from "./args.ts";
import type { Tools } from "./connection.ts";

export async function transfer(
  kit: Tools,
  cli: CliSession,
  wanted: NonNullable<QueryArgs["file_transfer"]>,
  ctx: Context,
): Promise<Outputs> {
  const { operation, local_path, remote_path } = wanted;
  const local = await kit.files.localFile(local_path, operation === "upload" ? "read" : "write");
  const moved = await cli[operation](
    {
      localPath: local,
      remotePath: remote_path,
      ...(wanted.resume === undefined ? {} : { resume: wanted.resume }),
      ...(wanted.chunk_size === undefined ? {} : { chunkBytes: wanted.chunk_size }),
      ...(wanted.timeout === undefined ? {} : { timeoutMs: wanted.timeout * 1000 }),
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
