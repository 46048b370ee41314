/** Uploads a candidate to the switch by SCP over a separate connection, since NX-API has no file transfer. */
import type { Context } from "patchbay/plugin";
import { putText } from "../../common/scp-text.ts";
import { sshTargetOf, type Tools } from "../../connection.ts";
import { asNotTaken } from "../nxos-common/configuration/md5.ts";

const sshPort = 22;

/** @throws PluginError CommandError if the switch did not accept the file */
export async function upload(tools: Tools, file: string, content: string, ctx: Context): Promise<void> {
  const target = await sshTargetOf(tools, "modern");
  // The connection's port is that of NX-API.
  const port = tools.connection.optional.ssh_port ?? sshPort;
  await putText(tools, { ...target, port }, { file, content }, ctx).catch(asNotTaken);
}
