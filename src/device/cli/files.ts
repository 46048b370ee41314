/** File transfer beside the terminal: enables it on the device, moves the file, verifies its hash on the device. */
import { ServiceError } from "../../base/errors.ts";
import type { CliTransfer } from "../../plugin/kit/cli.ts";
import type { Context } from "../../plugin/kit/kit.ts";
import type { TransferResult } from "../../plugin/kit/ssh.ts";
import { answerBody } from "./exchange/answer.ts";
import type { Conversation } from "./exchange/conversation.ts";
import { refused } from "./exchange/errors.ts";
import { byLine } from "./platform.ts";
import type { Privilege } from "./prompt/privilege.ts";

/** Operations of the connection's owner beside the terminal. */
export interface FileTransfers {
  move(
    direction: "upload" | "download",
    localPath: string,
    remotePath: string,
    by: "sftp" | "scp",
    ctx: Context,
    more: Pick<CliTransfer, "resume" | "chunkBytes" | "timeoutMs">,
  ): Promise<TransferResult>;
  /** Lower-case hex. */
  hash(localPath: string, algorithm: "md5" | "sha256" | "sha512"): Promise<string>;
}

export interface FilesOptions {
  readonly talk: Conversation;
  readonly privilege: Privilege;
  readonly transfers: FileTransfers | undefined;
}

/** A small switch takes minutes to hash an image of several hundred MB. */
const hashMs = 600_000;
/** The hash is at the end of the answer, whose length is unbounded. */
const answerChars = 4_096;

export function createFiles({ talk, privilege, transfers }: FilesOptions) {
  const { plugin } = talk.platform;
  let enabled = false;

  async function move(
    direction: "upload" | "download",
    { localPath, remotePath, ...more }: CliTransfer,
    ctx: Context,
  ): Promise<TransferResult & { verified: boolean }> {
    const { files } = plugin;
    const [by] = files?.by ?? [];
    if (transfers === undefined || files === undefined || by === undefined) {
      throw new ServiceError(
        "DriverError",
        `There is no file transfer for ${plugin.name} over this connection.`,
      );
    }
    if (/[\s;|&$`'"\\<>\x00-\x1f\x7f]/.test(remotePath)) {
      throw new ServiceError(
        "DriverError",
        "remote_path: contains a character that the command line would interpret.",
      );
    }
    await talk.announce([`${direction} ${remotePath}`], ctx);
    if (!enabled) await enable(files.enable ?? [], ctx);
    const transfer = await transfers.move(direction, localPath, remotePath, by, ctx, more);
    if (files.hash === undefined) return { ...transfer, verified: false };

    const { algorithm, command, match } = files.hash;
    const text = command.replaceAll("{path}", () => remotePath);
    const answer = await talk.say({ input: { kind: "line", text }, totalMs: hashMs }, ctx);
    const output = answerBody(answer);
    const hash = byLine(match).exec(output.slice(-answerChars))?.[1]?.toLowerCase();
    if (hash === undefined) return { ...transfer, verified: false };
    const expected = algorithm === "sha256" ? transfer.sha256 : await transfers.hash(localPath, algorithm);
    if (hash !== expected.toLowerCase()) {
      throw refused(
        `The ${algorithm} of ${remotePath} on the device differs from that of the file: ${hash} instead of ${expected}.`,
        text,
        output,
      );
    }
    return { ...transfer, verified: true };
  }

  async function enable(commands: readonly string[], ctx: Context): Promise<void> {
    if (commands.length > 0) {
      const before = talk.prompt()?.level;
      await privilege.to(plugin.config ?? plugin.home, ctx);
      for (const text of commands) {
        await talk.say({ input: { kind: "line", text }, levels: Object.keys(plugin.levels) }, ctx);
      }
      if (before !== undefined) await privilege.to(before, ctx);
    }
    enabled = true;
  }

  return { move };
}
