/** Writes a text to a file on the device by SCP over a separate connection, without a local file. */
import type { Context, SshTarget } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";
import type { Tools } from "../connection.ts";

/** @throws PluginError CommandError with the device's message if it did not accept the file */
export async function putText(
  { ssh }: Tools,
  target: SshTarget,
  { file, content }: { readonly file: string; readonly content: string },
  ctx: Context,
): Promise<void> {
  const connection = await ssh.connect(target, ctx);
  try {
    const name = file.slice(Math.max(file.lastIndexOf(":"), file.lastIndexOf("/")) + 1);
    const size = Buffer.byteLength(content);
    const input = `C0600 ${size} ${name}\n${content}\0`;
    const { stdout, stderr } = await connection.exec(`scp -t ${file}`, { input }, ctx);
    // The device answers each part with a zero byte, or with another byte and a message.
    const [, fault] = /[\x01\x02]([^\n]*)/.exec(stdout) ?? [];
    if (fault !== undefined || !stdout.includes("\0")) {
      throw new PluginError("CommandError", fault ?? `${stdout}${stderr}`, { command: `scp -t ${file}` });
    }
  } finally {
    await connection.close();
  }
}
