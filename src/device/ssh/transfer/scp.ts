/** SCP, the rcp copy protocol over a command: for devices without SFTP. */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import { ServiceError } from "../../../base/errors.ts";
import { shellQuote } from "../../../base/text/shell-quote.ts";
import { abortReason, onAbort, type TimeLimit } from "../../../base/time/deadline.ts";
import type { TransferResult } from "../../../plugin/kit/ssh.ts";
import { openCommand } from "../exec/exec.ts";
import { connectionLost } from "../login/target.ts";
import type { ClientChannel } from "../ssh2.ts";
import type { Transport } from "../transport.ts";
import type { FileTransfer } from "./file-transfer.ts";
import { readLocal, writeLocal } from "./pump.ts";

const blockBytes = 256 * 1024;
/** Above this the sender is throttled. */
const unreadBytes = 256 * 1024;
const lineBytes = 4096;

export async function scpUpload(
  transport: Transport,
  local: FileHandle,
  total: number,
  { remotePath, onProgress }: FileTransfer,
  limit: TimeLimit,
): Promise<TransferResult> {
  return withPeer(transport, `scp -t ${argument(remotePath)}`, limit, async (peer) => {
    const hash = createHash("sha256");
    await peer.confirmed();
    await peer.write(`C0644 ${total} ${posix.basename(remotePath).replaceAll("\n", "_") || "file"}\n`);
    await peer.confirmed();
    for (let offset = 0; offset < total; ) {
      const block = await readLocal(local, offset, Math.min(blockBytes, total - offset));
      hash.update(block);
      await peer.write(block);
      offset += block.length;
      onProgress?.(offset, total);
    }
    await peer.write("\0");
    await peer.confirmed();
    return { bytesTransferred: total, totalBytes: total, resumed: false, sha256: hash.digest("hex") };
  });
}

export async function scpDownload(
  transport: Transport,
  local: FileHandle,
  { remotePath, onProgress, take }: FileTransfer,
  limit: TimeLimit,
): Promise<TransferResult> {
  return withPeer(transport, `scp -f ${argument(remotePath)}`, limit, async (peer) => {
    const hash = createHash("sha256");
    await peer.write("\0");
    const total = await announcedSize(peer);
    await peer.write("\0");
    for (let offset = 0; offset < total; ) {
      const block = await peer.read(Math.min(blockBytes, total - offset));
      take?.(block.length);
      hash.update(block);
      await writeLocal(local, offset, block);
      offset += block.length;
      onProgress?.(offset, total);
    }
    await peer.confirmed();
    await peer.write("\0");
    return { bytesTransferred: total, totalBytes: total, resumed: false, sha256: hash.digest("hex") };
  });
}

/** Ignores the announced file name: the file goes where the caller said. */
async function announcedSize(peer: Peer): Promise<number> {
  for (;;) {
    const line = await peer.line();
    if (line.startsWith("T")) {
      await peer.write("\0");
      continue;
    }
    const size = /^C[0-7]{4,} (\d{1,15}) /.exec(line)?.[1];
    if (size === undefined) throw refusal(line);
    return Number(size);
  }
}

function refusal(line: string): ServiceError {
  const reason = line.replace(/^[\x01\x02]/, "").trim();
  return new ServiceError("DriverError", `SCP was refused: ${reason === "" ? "no reason given" : reason}`);
}

/** Device paths such as `flash:/image.bin` stay unquoted; a leading dash must not become an option. */
const argument = (path: string) => shellQuote(path.startsWith("-") ? `./${path}` : path);

interface Peer {
  /** Between one and `atMost` bytes. */
  read(atMost: number): Promise<Buffer>;
  line(): Promise<string>;
  /** Waits for the success byte; anything else is a refusal. */
  confirmed(): Promise<void>;
  write(data: string | Buffer): Promise<void>;
}

async function withPeer<T>(
  transport: Transport,
  command: string,
  limit: TimeLimit,
  work: (peer: Peer) => Promise<T>,
): Promise<T> {
  const channel = await openCommand(transport, command, {}, limit);
  const { peer, release } = talkTo(channel, transport, limit);
  try {
    const result = await work(peer);
    channel.end();
    return result;
  } finally {
    release();
    channel.close();
  }
}

function talkTo(
  channel: ClientChannel,
  transport: Transport,
  limit: TimeLimit,
): { peer: Peer; release: () => void } {
  let unread: Buffer = Buffer.alloc(0);
  let errorText = "";
  let over: ServiceError | undefined;
  let wake: () => void = () => {};

  const stop = (error: ServiceError) => {
    over ??= error;
    wake();
  };
  const unlisten = [onAbort(limit.signal, stop), onAbort(transport.ended, stop)];
  channel.on("data", (chunk: Buffer) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    if (unread.length > unreadBytes) channel.pause();
    wake();
  });
  channel.stderr.on("data", (chunk: Buffer) => {
    errorText = (errorText + chunk.toString()).slice(0, lineBytes);
  });
  channel.on("drain", () => wake());
  channel.on("error", (error: Error) => stop(connectionLost(transport.endpoint, error)));
  channel.on("close", () => {
    if (transport.ended.aborted) return stop(abortReason(transport.ended));
    stop(errorText === "" ? connectionLost(transport.endpoint) : refusal(errorText));
  });

  /** Waits until `isMet`, which is checked after every event of the channel. */
  const until = async (isMet: () => boolean) => {
    while (!isMet()) {
      if (over) throw over;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const take = (count: number): Buffer => {
    const bytes = unread.subarray(0, count);
    unread = unread.subarray(count);
    if (unread.length <= unreadBytes && channel.isPaused()) channel.resume();
    return bytes;
  };
  const line = async () => {
    await until(() => unread.includes(0x0a) || unread.length > lineBytes);
    const end = unread.indexOf(0x0a);
    return take(end === -1 ? lineBytes : end + 1).toString("utf8");
  };
  const peer: Peer = {
    async read(atMost) {
      await until(() => unread.length > 0);
      return take(Math.min(atMost, unread.length));
    },
    line,
    async confirmed() {
      await until(() => unread.length > 0);
      if (unread[0] !== 0) throw refusal(await line());
      take(1);
    },
    async write(data) {
      if (over) throw over;
      if (!channel.write(data)) await until(() => !channel.writableNeedDrain);
    },
  };
  return {
    peer,
    release: () => {
      for (const stop of unlisten) stop();
    },
  };
}
