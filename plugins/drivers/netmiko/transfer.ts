/** `file_transfer` of a query: one file to or from the device, its hash checked there where it can. */
import type { CliSession, Context, Outputs } from "patchbay/plugin";
import { withDetail } from "patchbay/plugin";
import { type FileTransfer, transferOptions, transferOutputs } from "../shared/file-transfer.ts";
import type { Tools } from "./connection.ts";

export async function transfer(
  { files }: Tools,
  cli: CliSession,
  request: FileTransfer,
  ctx: Context,
): Promise<Outputs> {
  const { operation, local_path } = request;
  const localPath = await files.localFile(local_path, operation === "upload" ? "read" : "write");
  const moved = await cli[operation](transferOptions(request, localPath), ctx).catch((error: unknown) => {
    // A download changes nothing there.
    throw operation === "download" ? withDetail(error, { outcome: "none" }) : error;
  });
  return transferOutputs(request, moved);
}
