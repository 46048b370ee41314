/** Packs texts for the store, with zstd: Bun's own is four times as fast as that of its Node modules. */
import { zlib } from "../base/lazy-modules.ts";

/** Of configurations: higher levels take twice the time for 3 % less. */
const level = 3;

export function packText(text: string): Uint8Array {
  const bytes = Buffer.from(text, "utf8");
  if (typeof Bun !== "undefined") return Bun.zstdCompressSync(bytes, { level });
  // Its usual level is the same.
  return zlib().zstdCompressSync(bytes);
}

/**
 * @param maxBytes of the text: a few packed bytes may hold a large one
 * @throws Error if the bytes are damaged, or the text is larger
 */
export function unpackText(packed: Uint8Array, maxBytes: number): string {
  const size = contentSize(packed);
  const isBounded = size !== undefined && size <= maxBytes;
  if (isBounded && typeof Bun !== "undefined") return Bun.zstdDecompressSync(packed).toString("utf8");
  return zlib().zstdDecompressSync(packed, { maxOutputLength: maxBytes }).toString("utf8");
}

const magic = 0xfd2fb528;

/** As the frame header says; undefined if it does not. */
function contentSize(packed: Uint8Array): number | undefined {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes.length < 9 || bytes.readUInt32LE(0) !== magic) return undefined;
  const descriptor = bytes[4] ?? 0;
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + (isSingle ? 0 : 1) + dictionaryBytes;
  if (bytes.length < at + sizeBytes) return undefined;
  if (sizeBytes === 1) return bytes[at];
  if (sizeBytes === 2) return bytes.readUInt16LE(at) + 256;
  if (sizeBytes === 4) return bytes.readUInt32LE(at);
  return undefined;
}
