/** Transfers a file in chunks with many requests in flight, and hashes it in order. */
import type { Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { ServiceError } from "../../../base/errors.ts";
import type { RemoteFile } from "./sftp.ts";

/** The channel window: more in flight gains nothing, less waits for every reply. */
const bytesInFlight = 2 * 1024 * 1024;
const requestsInFlight = 64;
const chunkRange = { min: 1024, max: 256 * 1024 } as const;
/**
 * File bytes that fit in an SSH packet next to the request header. With 64 bytes more, each request would take two
 * packets, the second nearly empty, which costs a fifth of the speed.
 */
const packetBytes = 32_768 - 64;
const diskBlockBytes = 1024 * 1024;

export interface FileMove {
  readonly local: FileHandle;
  readonly remote: RemoteFile;
  readonly start: number;
  readonly end: number;
  /** Size of a request; default: the largest the server handles well. */
  readonly chunkBytes: number | undefined;
  /** Bytes in flight; default: enough to fill the connection. */
  readonly bytesAtOnce?: number;
  /** Receives the transferred bytes; already contains those before `start`. */
  readonly hash: Hash;
  readonly onMoved: (bytes: number) => void;
  /** Called with the bytes of a file whose size is unknown. */
  readonly take?: (bytes: number) => void;
}

export async function pumpUp(move: FileMove): Promise<void> {
  const { local, remote, start, end, hash, onMoved } = move;
  const { length, atOnce } = sizes(move, packetBytes);
  // A multiple of the request size; otherwise each block would end with a small request.
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
  let requestedTo = start;
  try {
    for (let offset = start; offset < end; ) {
      for (; requestedTo < end && inFlight.length < atOnce; requestedTo += length) {
        inFlight.push(inTurn(readWhole(remote, requestedTo, Math.min(length, end - requestedTo))));
      }
      const chunk = await inFlight.shift();
      if (chunk === undefined) break;
      hash.update(chunk);
      await disk.write(chunk);
      offset += chunk.length;
      onMoved(chunk.length);
    }
  } catch (error) {
    // Keeps the received bytes, so that a later transfer can resume, and reports the first error.
    await disk.end().catch(() => {});
    throw error;
  }
  await disk.end();
}

/** Requests in flight fail together: the first one awaited reports, the others must not cause unhandled rejections. */
function inTurn<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Writes blocks of many chunks while the next ones arrive; one write per chunk would halve the speed. */
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

/** For files without a size, such as those in /proc: reads to the end, one request after the other. */
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

/** Feeds the first `bytes` of a local file into a hash. */
export async function hashLocal(local: FileHandle, bytes: number, hash: Hash): Promise<void> {
  for (let offset = 0; offset < bytes; ) {
    const block = await readLocal(local, offset, Math.min(diskBlockBytes, bytes - offset));
    hash.update(block);
    offset += block.length;
  }
}

export async function readLocal(local: FileHandle, offset: number, length: number): Promise<Buffer> {
  const room = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await local.read(room, filled, length - filled, offset + filled);
    if (bytesRead === 0)
      throw new ServiceError("DriverError", "The local file shrank while it was being read");
    filled += bytesRead;
  }
  return room;
}

export async function writeLocal(local: FileHandle, offset: number, chunk: Buffer): Promise<void> {
  for (let put = 0; put < chunk.length; ) {
    put += (await local.write(chunk, put, chunk.length - put, offset + put)).bytesWritten;
  }
}

/** Servers may return less than requested. */
export async function readWhole(remote: RemoteFile, offset: number, length: number): Promise<Buffer> {
  const first = await remote.read(offset, length);
  if (first.length === length) return first;
  const parts = [first];
  for (let received = first.length; received < length; ) {
    const part = await remote.read(offset + received, length - received);
    if (part.length === 0)
      throw new ServiceError("DriverError", "The remote file shrank while it was being read");
    parts.push(part);
    received += part.length;
  }
  return Buffer.concat(parts);
}

function sizes(
  { chunkBytes, bytesAtOnce = bytesInFlight }: Pick<FileMove, "chunkBytes" | "bytesAtOnce">,
  best: number,
): { length: number; atOnce: number } {
  const chunk = Math.min(Math.max(Math.trunc(chunkBytes ?? best), chunkRange.min), chunkRange.max);
  const length = Math.min(chunk > packetBytes && chunk <= 32_768 ? packetBytes : chunk, bytesAtOnce / 2);
  return { length, atOnce: Math.max(2, Math.min(requestsInFlight, Math.trunc(bytesAtOnce / length))) };
}
