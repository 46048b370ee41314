/** Moves a file in pieces, many requests in flight, and hashes it in order on the way. */
import type { Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { ServiceError } from "../base/errors.ts";
import type { RemoteFile } from "./sftp.ts";

/** The window of a channel: more on its way gains nothing, less waits for each answer. */
const bytesInFlight = 2 * 1024 * 1024;
const requestsInFlight = 64;
const chunkRange = { min: 1024, max: 256 * 1024 } as const;
/**
 * What a packet of SSH holds of a file beside the head of the request: 64 bytes more, and each request would be two
 * packets, the second one nearly empty. That takes a fifth of the speed.
 */
const packetBytes = 32_768 - 64;
const diskBlockBytes = 1024 * 1024;

export interface FileMove {
  readonly local: FileHandle;
  readonly remote: RemoteFile;
  readonly start: number;
  readonly end: number;
  /** Of a request; default: what the server takes best. */
  readonly chunkBytes: number | undefined;
  /** On their way together; default: as many as fill the connection. */
  readonly bytesAtOnce?: number | undefined;
  /** Gets what is moved; it has what stands before `start` already. */
  readonly hash: Hash;
  readonly onMoved: (bytes: number) => void;
  /** Told of what comes of a file without a size. */
  readonly take?: ((bytes: number) => void) | undefined;
}

export async function pumpUp(move: FileMove): Promise<void> {
  const { local, remote, start, end, hash, onMoved } = move;
  const { length, atOnce } = sizes(move, packetBytes);
  // Whole requests: what is left of a block would be a small one.
  const blockBytes = Math.max(1, Math.trunc(diskBlockBytes / length)) * length;
  const inFlight: Promise<void>[] = [];
  const settleOne = async () => {
    await inFlight.shift();
  };
  for (let offset = start; offset < end; ) {
    const block = await readLocal(local, offset, Math.min(blockBytes, end - offset));
    hash.update(block);
    for (let at = 0; at < block.length; at += length) {
      if (inFlight.length >= atOnce) await settleOne();
      inFlight.push(inTurn(remote.write(offset + at, block.subarray(at, at + length))));
    }
    offset += block.length;
    onMoved(block.length);
  }
  while (inFlight.length > 0) await settleOne();
}

export async function pumpDown(move: FileMove): Promise<void> {
  const { local, remote, start, end, hash, onMoved } = move;
  const { length, atOnce } = sizes(move, remote.readBytes);
  const inFlight: Promise<Buffer>[] = [];
  const disk = writeBehind(local, start);
  let asked = start;
  try {
    for (let offset = start; offset < end; ) {
      for (; asked < end && inFlight.length < atOnce; asked += length) {
        inFlight.push(inTurn(readWhole(remote, asked, Math.min(length, end - asked))));
      }
      const chunk = await inFlight.shift();
      if (chunk === undefined) break;
      hash.update(chunk);
      await disk.write(chunk);
      offset += chunk.length;
      onMoved(chunk.length);
    }
  } catch (error) {
    // A later transfer goes on from what came: it is kept, and the first error is the one to tell.
    await disk.end().catch(() => {});
    throw error;
  }
  await disk.end();
}

/** Requests in flight fail together: the first that is awaited tells, the others must not count as unheard. */
function inTurn<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Writes blocks of many chunks while the next ones arrive: one write a chunk halves the speed. */
function writeBehind(local: FileHandle, start: number) {
  let offset = start;
  let block: Buffer[] = [];
  let size = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async () => {
    await writing;
    writing = inTurn(writeLocal(local, offset, Buffer.concat(block)));
    offset += size;
    block = [];
    size = 0;
  };
  return {
    async write(chunk: Buffer) {
      block.push(chunk);
      size += chunk.length;
      if (size >= diskBlockBytes) await flush();
    },
    async end() {
      await flush();
      await writing;
    },
  };
}

/** Files without a size, such as those of /proc: read until their end, one request after the other. */
export async function drainDown(move: FileMove): Promise<number> {
  const { local, remote, hash, onMoved } = move;
  const { length } = sizes(move, packetBytes);
  for (let offset = 0; ; ) {
    const chunk = await remote.read(offset, length);
    if (chunk.length === 0) return offset;
    move.take?.(chunk.length);
    hash.update(chunk);
    await writeLocal(local, offset, chunk);
    offset += chunk.length;
    onMoved(chunk.length);
  }
}

/** Feeds hashes with the first `bytes` of a local file. */
export async function hashLocal(local: FileHandle, bytes: number, hash: Hash): Promise<void> {
  for (let offset = 0; offset < bytes; ) {
    const block = await readLocal(local, offset, Math.min(diskBlockBytes, bytes - offset));
    hash.update(block);
    offset += block.length;
  }
}

export async function readLocal(local: FileHandle, offset: number, length: number): Promise<Buffer> {
  const room = Buffer.allocUnsafe(length);
  for (let got = 0; got < length; ) {
    const { bytesRead } = await local.read(room, got, length - got, offset + got);
    if (bytesRead === 0)
      throw new ServiceError("DriverError", "The local file became shorter while it was read");
    got += bytesRead;
  }
  return room;
}

export async function writeLocal(local: FileHandle, offset: number, chunk: Buffer): Promise<void> {
  for (let put = 0; put < chunk.length; ) {
    put += (await local.write(chunk, put, chunk.length - put, offset + put)).bytesWritten;
  }
}

/** Servers may answer with less than was asked for. */
export async function readWhole(remote: RemoteFile, offset: number, length: number): Promise<Buffer> {
  const first = await remote.read(offset, length);
  if (first.length === length) return first;
  const parts = [first];
  for (let got = first.length; got < length; ) {
    const part = await remote.read(offset + got, length - got);
    if (part.length === 0)
      throw new ServiceError("DriverError", "The remote file became shorter while it was read");
    parts.push(part);
    got += part.length;
  }
  return Buffer.concat(parts);
}

function sizes(
  { chunkBytes, bytesAtOnce = bytesInFlight }: Pick<FileMove, "chunkBytes" | "bytesAtOnce">,
  best: number,
): { length: number; atOnce: number } {
  const asked = Math.min(Math.max(Math.trunc(chunkBytes ?? best), chunkRange.min), chunkRange.max);
  const length = Math.min(asked > packetBytes && asked <= 32_768 ? packetBytes : asked, bytesAtOnce / 2);
  return { length, atOnce: Math.max(2, Math.min(requestsInFlight, Math.trunc(bytesAtOnce / length))) };
}
