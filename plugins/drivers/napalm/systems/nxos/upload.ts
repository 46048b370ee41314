/** Puts a candidate on the switch. NX-API takes no files: it goes by SCP, over a connection of its own. */
import type { Context } from "patchbay/plugin";
import { putText } from "../../common/scp-text.ts";
import { sshTargetOf, type Tools } from "../../connection.ts";
import { asNotTaken } from "../nxos-common/configuration/md5.ts";

const sshPort = 22;

/** @throws PluginError CommandError: the switch did not take the file */
export async function upload(tools: Tools, file: string, content: string, ctx: Context): Promise<void> {
  const target = await sshTargetOf(tools, "modern");
  // The port of the connection is that of NX-API.
  const port = tools.connection.optional.ssh_port ?? sshPort;
  await putText(tools, { ...target, port }, { file, content }, ctx).catch(asNotTaken);
}
