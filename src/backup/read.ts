/** Reads an archive: decrypts, unpacks, and verifies each file against the manifest. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { messageOf, ServiceError } from "../base/errors.ts";
import type { Secret } from "../base/secrets/secret.ts";
import { type Manifest, manifestName, maxManifestBytes, readManifest } from "./manifest.ts";
import { opened } from "./seal.ts";
import { readTar, refused, type TarEntry } from "./tar.ts";

/** `database`: a plain copy of the database, as made by earlier versions. */
export type BackupKind = "archive" | "sealed" | "database" | "unknown";

export async function kindOf(file: string): Promise<BackupKind> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, 0);
    const head = buffer.subarray(0, bytesRead).toString("latin1");
    if (head.startsWith("\x1f\x8b")) return "archive";
    if (head.startsWith("age-encryption.org/v1")) return "sealed";
    return head.startsWith("SQLite format 3\0") ? "database" : "unknown";
  } finally {
    await handle.close();
  }
}

/** Verifies the whole archive. @throws ServiceError Validation */
export async function checkArchive(file: string, passphrase: Secret | undefined): Promise<Manifest> {
  return readArchive(file, passphrase, async () => {});
}

/**
 * @param onPiece receives each file in pieces; undefined marks its end.
 * @returns the manifest, after all files were verified. @throws ServiceError Validation
 */
export async function readArchive(
  file: string,
  passphrase: Secret | undefined,
  onPiece: (entry: TarEntry, piece: Uint8Array | undefined) => Promise<void>,
): Promise<Manifest> {
  const filesByPath = new Map<string, { size: number; sha256: string }>();
  let manifest: Manifest | undefined;
  try {
    for await (const entry of readTar(await bytesOf(file, passphrase))) {
      if (manifest !== undefined) throw refused("there is data after its manifest");
      if (entry.path === manifestName) {
        manifest = await manifestOf(entry);
        continue;
      }
      const hash = createHash("sha256");
      for await (const piece of entry.content) {
        hash.update(piece);
        await onPiece(entry, piece);
      }
      await onPiece(entry, undefined);
      filesByPath.set(entry.path, { size: entry.size, sha256: hash.digest("hex") });
    }
  } catch (error) {
    if (error instanceof ServiceError || isOfDisk(error)) throw error;
    throw refused(`it is damaged (${messageOf(error)})`);
  }
  if (manifest === undefined) throw refused("it has no manifest: it is incomplete");
  requireEntries(manifest, filesByPath);
  return manifest;
}

async function bytesOf(file: string, passphrase: Secret | undefined): Promise<AsyncIterable<Uint8Array>> {
  const kind = await kindOf(file);
  const bytes = createReadStream(file);
  if (kind === "archive") return unpacked(bytes);
  if (kind !== "sealed") throw refused("it is neither a compressed nor a sealed archive");
  if (passphrase === undefined)
    throw new ServiceError("Validation", "This archive is sealed: give its passphrase (--passphrase-file).");
  return unpacked(await opened(bytes, passphrase.reveal()));
}

async function* unpacked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const packed = Readable.from(bytes);
  const gunzip = createGunzip();
  packed.on("error", (error) => gunzip.destroy(error));
  yield* packed.pipe(gunzip);
}

async function manifestOf({ size, content }: TarEntry): Promise<Manifest> {
  if (size > maxManifestBytes) throw refused("its manifest is too long");
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(Buffer.from(piece));
  return readManifest(Buffer.concat(pieces).toString("utf8"));
}

function requireEntries(
  manifest: Manifest,
  filesByPath: ReadonlyMap<string, { size: number; sha256: string }>,
): void {
  for (const { path, size, sha256 } of manifest.entries) {
    const file = filesByPath.get(path);
    if (file?.size !== size || file.sha256 !== sha256)
      throw refused(`${JSON.stringify(path.slice(0, 200))} does not match its manifest`);
  }
  if (filesByPath.size !== manifest.entries.length)
    throw refused("it contains files that its manifest does not list");
}

/** Whether the error comes from the target, not from the archive. */
function isOfDisk(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
