/** `file_transfer` of a query: transfers one file and, if possible, verifies its hash on the device. */
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
  const transferred = await cli[operation](transferOptions(request, localPath), ctx).catch(
    (error: unknown) => {
      // A download does not change the device.
      throw operation === "download" ? withDetail(error, { outcome: "none" }) : error;
    },
  );
  return transferOutputs(request, transferred);
}
