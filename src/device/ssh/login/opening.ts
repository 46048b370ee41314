/** Watches what a server sends before encryption: its identification line, its algorithm offer, and the total size. */
import type { Duplex } from "node:stream";

/** The server's offer from its KEXINIT. All servers seen so far offer the same in both directions. */
export interface ServerOffer {
  readonly kex: readonly string[];
  readonly hostKey: readonly string[];
  readonly cipher: readonly string[];
  readonly mac: readonly string[];
  readonly compress: readonly string[];
  /** Protects against prefix truncation (CVE-2023-48795). */
  readonly strictKex: boolean;
}

export interface Opening {
  /** Takes a chunk; returns what to pass to the protocol: nothing until the first line is complete. */
  feed(chunk: Buffer): Buffer | undefined;
  /** The server's line `SSH-2.0-…`, once received. */
  software(): string | undefined;
  /** Other text the server sent before that line, truncated and made printable; empty if there was none. */
  otherWords(): string;
  offer(): ServerOffer | undefined;
}

/** A login takes about 10 KB; a server that sends more than this before it is authenticated is disconnected. */
export const openingLimitBytes = 256 * 1024;

/**
 * ssh2 loses bytes of an identification line that arrives in three or more pieces, as from slow consoles. This passes
 * it on in one piece.
 * @param onLine called once, when the first line is complete
 */
export function watchOpening(onLine: () => void): Opening {
  let gathered: Buffer | undefined = Buffer.alloc(0);
  let line: string | undefined;
  let packets: Buffer | undefined;
  let offer: ServerOffer | undefined;

  const lookForOffer = (bytes: Buffer) => {
    packets = packets === undefined ? bytes : Buffer.concat([packets, bytes]);
    offer = findOffer(packets);
    if (offer !== undefined || packets.length > openingLimitBytes) packets = undefined;
  };
  return {
    feed(chunk) {
      if (gathered === undefined) {
        if (packets !== undefined) lookForOffer(chunk);
        return chunk;
      }
      gathered = Buffer.concat([gathered, chunk]);
      const end = endOfFirstLine(gathered);
      if (end === undefined) return undefined;
      const opening = gathered;
      gathered = undefined;
      line = opening.toString("latin1", end.start, end.next).trimEnd();
      lookForOffer(opening.subarray(end.next));
      onLine();
      return opening;
    },
    software: () => line,
    otherWords() {
      const text = gathered?.toString("latin1", 0, 80) ?? "";
      return text.startsWith("SSH-") ? "" : (text.split(/[\r\n]/)[0] ?? "").replace(/[^\x20-\x7e]/g, "?");
    },
    offer: () => offer,
  };
}

/** Other lines may precede the one that starts with `SSH-`. */
function endOfFirstLine(bytes: Buffer): { start: number; next: number } | undefined {
  for (let start = 0; ; ) {
    const newline = bytes.indexOf(0x0a, start);
    if (newline === -1) return undefined;
    if (bytes.toString("latin1", start, start + 4) === "SSH-") return { start, next: newline + 1 };
    start = newline + 1;
  }
}

const kexInit = 20;
const cookieBytes = 16;

/** The first KEXINIT among complete unencrypted packets. */
function findOffer(bytes: Buffer): ServerOffer | undefined {
  for (let at = 0; at + 6 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = at + 4 + length;
    if (length < 2 || end > bytes.length) return undefined;
    if (bytes[at + 5] === kexInit) return readOffer(bytes.subarray(at + 6 + cookieBytes, end));
    at = end;
  }
  return undefined;
}

function readOffer(bytes: Buffer): ServerOffer | undefined {
  const lists: string[][] = [];
  for (let at = 0; lists.length < 10; ) {
    if (at + 4 > bytes.length) return undefined;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return undefined;
    lists.push(
      bytes
        .toString("latin1", at + 4, end)
        .split(",")
        .filter(Boolean),
    );
    at = end;
  }
  const [kex = [], hostKey = [], cipher = [], , mac = [], , compress = []] = lists;
  return {
    kex: kex.filter((name) => !/^(ext-info-|kex-strict-)/.test(name)),
    hostKey,
    cipher,
    mac,
    compress,
    strictKex: kex.includes("kex-strict-s-v00@openssh.com"),
  };
}

/** Passes every chunk through `filter` before the `data` listeners receive it. */
export function filterData(stream: Duplex, filter: (chunk: Buffer) => Buffer | undefined): void {
  const on = stream.on.bind(stream);
  Object.assign(stream, {
    on(event: string, listener: (...args: unknown[]) => void) {
      if (event !== "data") return on(event, listener);
      return on("data", (chunk: Buffer) => {
        const passed = filter(chunk);
        if (passed !== undefined) listener(passed);
      });
    },
  });
}
