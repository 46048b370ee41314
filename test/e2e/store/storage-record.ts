/**
 * Records a service's writes, fsyncs and messages in order, and computes the database files that a power cut
 * could leave.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const databaseFiles = ["patchbay.db", "patchbay.db-wal"] as const;

interface Change {
  /** 0: the database; 1: its WAL. */
  readonly file: number;
  readonly offset: number;
  /** Undefined: truncate to `offset` bytes. */
  readonly data?: Buffer;
}

export type Entry =
  | ({ readonly kind: "change" } & Change)
  /** Start and end of an fsync: writes between them may not be on disk. */
  | { readonly kind: "syncing" | "synced"; readonly file: number; readonly sync: number }
  | { readonly kind: "sent"; readonly text: string };

const headBytes = 14;

/** Compiles the recording library for LD_PRELOAD into a folder. */
export function compileRecorder(folder: string): string {
  const library = join(folder, "storage-record.so");
  const source = new URL("storage-record.c", import.meta.url).pathname;
  const args = ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lpthread"];
  const { status, stderr } = spawnSync("/usr/bin/gcc", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`gcc ended with ${status}: ${stderr}`);
  return library;
}

export function readRecord(path: string): Entry[] {
  const bytes = readFileSync(path);
  const entries: Entry[] = [];
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 10);
    const data = bytes.subarray(at + headBytes, at + headBytes + length);
    if (data.length < length) break;
    entries.push(entryOf(String.fromCharCode(bytes.readUInt8(at)), bytes, at, data));
    at += headBytes + length;
  }
  return entries;
}

function entryOf(kind: string, bytes: Buffer, at: number, data: Buffer): Entry {
  const file = bytes.readUInt8(at + 1) - 1;
  const offset = Number(bytes.readBigUInt64LE(at + 2));
  if (kind === "W") return { kind: "change", file, offset, data };
  if (kind === "T") return { kind: "change", file, offset };
  if (kind === "B") return { kind: "syncing", file, sync: offset };
  if (kind === "S") return { kind: "synced", file, sync: offset };
  if (kind === "O") return { kind: "sent", text: data.toString("latin1") };
  throw new Error(`unknown entry ${kind}`);
}

/** A growable file image. */
interface Image {
  bytes: Buffer;
  size: number;
}

export interface Disk {
  /** Contents known to be on disk, by file. */
  readonly certain: readonly Image[];
  /** Writes since the file's last fsync, any of which may be on disk. */
  readonly unsynced: readonly Change[][];
  /** The last write covered by an fsync in progress, by the fsync's number. */
  readonly syncing: Map<number, Change | undefined>;
}

export function emptyDisk(): Disk {
  return {
    certain: databaseFiles.map(() => ({ bytes: Buffer.alloc(0), size: 0 })),
    unsynced: databaseFiles.map(() => []),
    syncing: new Map(),
  };
}

export function proceed(disk: Disk, entry: Entry): void {
  if (entry.kind === "sent") return;
  const waiting = disk.unsynced[entry.file];
  const image = disk.certain[entry.file];
  if (waiting === undefined || image === undefined) throw new Error(`no file ${entry.file}`);
  if (entry.kind === "change") waiting.push(entry);
  else if (entry.kind === "syncing") disk.syncing.set(entry.sync, waiting.at(-1));
  else {
    const last = disk.syncing.get(entry.sync);
    // If it is no longer pending, a later fsync that ended earlier has covered it.
    const count = last === undefined ? 0 : waiting.indexOf(last) + 1;
    for (const change of waiting.splice(0, count)) apply(image, change);
    disk.syncing.delete(entry.sync);
  }
}

function apply(image: Image, { offset, data }: Change): void {
  if (data === undefined) {
    image.bytes.fill(0, Math.min(offset, image.size), image.size);
    image.size = offset;
  }
  const end = offset + (data?.length ?? 0);
  if (end > image.bytes.length) {
    const larger = Buffer.alloc(Math.max(end, 2 * image.bytes.length));
    image.bytes.copy(larger, 0, 0, image.size);
    image.bytes = larger;
  }
  data?.copy(image.bytes, offset);
  image.size = Math.max(image.size, end);
}

/** @param survives decides for each sector of an unsynced write whether it reached the disk. */
export function afterCut(disk: Disk, survives: () => boolean): Buffer[] {
  return disk.certain.map((certain, file) => {
    const image = { bytes: Buffer.from(certain.bytes), size: certain.size };
    for (const change of disk.unsynced[file] ?? [])
      for (const part of sectors(change)) if (survives()) apply(image, part);
    return image.bytes.subarray(0, image.size);
  });
}

const sectorBytes = 512;

function* sectors(change: Change): Generator<Change> {
  const { file, offset, data } = change;
  if (data === undefined) yield change;
  for (let at = 0; data !== undefined && at < data.length; ) {
    const end = Math.min(data.length, at + sectorBytes - ((offset + at) % sectorBytes));
    yield { file, offset: offset + at, data: data.subarray(at, end) };
    at = end;
  }
}
