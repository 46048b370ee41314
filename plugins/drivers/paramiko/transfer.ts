/** `file_transfer` of a query: one file to or from the server. */
import type { Context, Outputs, SshConnection } from "patchbay/plugin";
import { type FileTransfer, transferOptions, transferOutputs } from "../shared/file-transfer.ts";
import type { Tools } from "./connection.ts";

export const transferMarker = "__FILE_TRANSFER__";

/** @throws PluginError DriverError: a path outside of the transfer folders, or the server's own words */
export async function transfer(
  { files }: Tools,
  server: SshConnection,
  request: FileTransfer,
  ctx: Context,
): Promise<Outputs> {
  const { operation, local_path } = request;
  const localPath = await files.localFile(local_path, operation === "upload" ? "read" : "write");
  const options = { ...transferOptions(request, localPath), by: "sftp" as const };
  return transferOutputs(request, await server[operation](options, ctx));
}
