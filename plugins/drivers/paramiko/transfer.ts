/** `file_transfer` of a query: transfers a file or folder, and optionally runs a command afterwards. */
import type { Context, Outputs, SshConnection, TransferOptions } from "patchbay/plugin";
import { PluginError, shellQuote, withDetail } from "patchbay/plugin";
import { transferOptions, transferOutputs } from "../shared/file-transfer.ts";
import type { QueryArgs } from "./args.ts";
import type { Tools } from "./connection.ts";
import type { ServerTransfer } from "./file-transfer.ts";
import { run } from "./run.ts";
import { asOneself } from "./sudo.ts";

/** Makes the file executable. */
const runnable = 0o755;

/** @throws PluginError DriverError for a path outside the transfer folders, or with the server's message */
export async function transfer(
  { files }: Tools,
  server: SshConnection,
  request: ServerTransfer,
  args: QueryArgs,
  ctx: Context,
): Promise<Outputs> {
  const { operation, local_path, recursive = false } = request;
  const find = recursive ? files.localFolder : files.localFile;
  const localPath = await find(local_path, operation === "upload" ? "read" : "write");
  const transferred = await server[operation](optionsOf(request, localPath), ctx).catch((error: unknown) => {
    throw isUntouched(request, error) ? withDetail(error, { outcome: "none" }) : error;
  });
  const skipped = transferred.skipped?.length ?? 0;
  if (skipped > 0) ctx.warn(`${skipped} entries of the folder were skipped: links, devices or pipes`);
  const outputs = transferOutputs(request, transferred);
  const line = lineAfter(request);
  if (line === undefined) return outputs;
  const prepared = asOneself({ text: line, script: false }, args.environment, args.get_pty ?? false);
  const options = { ...prepared.options, ...(args.input === undefined ? {} : { input: args.input }) };
  const result = await run(server, line, { ...prepared, options }, { timeout: args.timeout }, ctx);
  return outputs.map(({ command, output }) => ({ command, output: { ...asObject(output), ...result } }));
}

/** A download does not change the server. A refused upload has ended and its part is removed. */
function isUntouched({ operation, atomic, recursive }: ServerTransfer, error: unknown): boolean {
  const isRefused =
    error instanceof PluginError && error.kind === "DriverError" && error.detail?.outcome === undefined;
  return operation === "download" || (isRefused && atomic !== false && recursive !== true);
}

function optionsOf(request: ServerTransfer, localPath: string): TransferOptions {
  const { recursive, overwrite, atomic = true, verify = true, chmod } = request;
  const mode = chmod ?? (request.execute_after_upload === true ? runnable : undefined);
  return {
    ...transferOptions(request, localPath),
    by: "sftp",
    atomic,
    verify,
    ...(recursive === undefined ? {} : { recursive }),
    ...(overwrite === undefined ? {} : { overwrite }),
    ...(mode === undefined ? {} : { mode }),
  };
}

/** A bare name would be searched in PATH. */
function lineAfter({ execute_after_upload: then, remote_path }: ServerTransfer): string | undefined {
  if (then !== true) return then === false ? undefined : then;
  const path = remote_path.includes("/") ? remote_path : `./${remote_path}`;
  return shellQuote(path);
}

const asObject = (output: unknown) => (typeof output === "object" && output !== null ? output : {});
