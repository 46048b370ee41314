/** Writes an archive: packs, optionally encrypts, verifies by reading back, and only then renames it. */
import { createHash } from "node:crypto";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { messageOf, ServiceError } from "../base/errors.ts";
import type { Secret } from "../base/secrets/secret.ts";
import { type Manifest, type ManifestEntry, makeManifest, manifestName } from "./manifest.ts";
import { checkArchive } from "./read.ts";
import { sealed } from "./seal.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar.ts";

export interface ArchivePart {
  /** Path in the archive. */
  readonly path: string;
  /** Path on disk. */
  readonly file: string;
  /** May disappear while it is read; then it is skipped. */
  readonly mayGo?: boolean;
}

export interface ArchiveOptions {
  readonly target: string;
  /** On the same file system; holds the archive until it is complete. */
  readonly partial: string;
  readonly parts: readonly ArchivePart[];
  readonly facts: Omit<Manifest, "format" | "program" | "entries">;
  readonly passphrase?: Secret;
}

const pieceBytes = 256 * 1024;

/** @throws ServiceError Validation: the file exists, or cannot be created */
export async function writeArchive(options: ArchiveOptions): Promise<Manifest> {
  const { target, partial, passphrase } = options;
  const handle = await create(partial, target);
  try {
    let manifest: Manifest | undefined;
    await pipeline(
      Readable.from(archiveBytes(options, (writtenManifest) => (manifest = writtenManifest))),
      createGzip(),
      async (packed: AsyncIterable<Uint8Array>) => {
        const pieces = passphrase === undefined ? packed : await sealed(packed, passphrase.reveal());
        for await (const piece of pieces) await writeAll(handle, piece);
      },
    );
    await handle.sync();
    await handle.close();
    if (manifest === undefined) throw new ServiceError("Internal", "The archive has no manifest.");
    await requireSame(partial, manifest, passphrase);
    await nameIt(partial, target);
    return manifest;
  } catch (error) {
    await handle.close().catch(() => {});
    throw error;
  } finally {
    await rm(partial, { force: true });
  }
}

async function create(partial: string, target: string): Promise<FileHandle> {
  try {
    // Fails early; the final rename checks again.
    await (await open(target, "r")).close();
  } catch {
    try {
      return await open(partial, "wx", 0o600);
    } catch (error) {
      const why = messageOf(error);
      throw new ServiceError("Validation", `The backup cannot be made at ${target}: ${why}.`);
    }
  }
  throw new ServiceError("Validation", `The backup cannot be made at ${target}: the file already exists.`);
}

/** Never overwrites a file created meanwhile. Without hard links, checks before the rename. */
async function nameIt(partial: string, target: string): Promise<void> {
  try {
    await link(partial, target);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") throw error;
    await rename(partial, target);
  }
}

async function* archiveBytes(
  { parts, facts }: ArchiveOptions,
  onManifest: (manifest: Manifest) => void,
): AsyncGenerator<Uint8Array> {
  const entries: ManifestEntry[] = [];
  for (const { path, file, mayGo } of parts) {
    const source = await open(file, "r").catch((error: unknown) => {
      if (mayGo === true && isGone(error)) return undefined;
      throw error;
    });
    if (source === undefined) continue;
    try {
      const { size, mode } = await source.stat();
      yield tarHeader({ path, size, mode });
      const hash = createHash("sha256");
      for await (const piece of piecesOf(source, size, path)) {
        hash.update(piece);
        yield piece;
      }
      yield tarPadding(size);
      entries.push({ path, size, sha256: hash.digest("hex") });
    } finally {
      await source.close();
    }
  }
  const manifest = makeManifest({ ...facts, entries });
  onManifest(manifest);
  const text = Buffer.from(JSON.stringify(manifest), "utf8");
  yield tarHeader({ path: manifestName, size: text.length, mode: 0o600 });
  yield text;
  yield tarPadding(text.length);
  yield tarEnd;
}

/** Reads only the size at opening, because files may grow meanwhile. */
async function* piecesOf(source: FileHandle, size: number, path: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, size - at));
    const { bytesRead } = await source.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0)
      throw new ServiceError("Unavailable", `${path} shrank while it was being copied: try again.`);
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Appends at the current position. */
export async function writeAll(handle: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length; ) {
    const { bytesWritten } = await handle.write(piece, at, piece.length - at);
    at += bytesWritten;
  }
}

async function requireSame(file: string, written: Manifest, passphrase: Secret | undefined): Promise<void> {
  const read = await checkArchive(file, passphrase);
  if (JSON.stringify(read) === JSON.stringify(written)) return;
  throw new ServiceError("Internal", "The written backup differs from its source.");
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
