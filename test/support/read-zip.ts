/** Reads a zip by its central directory, as all programs do; throws if its numbers are inconsistent. */
import { inflateRawSync } from "node:zlib";

export function readZip(zip: Buffer): { name: string; text: string }[] {
  const end = zip.length - 22;
  if (zip.readUInt32LE(end) !== 0x06054b50) throw new Error("no end of the directory");
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  if (at + zip.readUInt32LE(end + 12) !== end) throw new Error("the directory has another length");
  const files: { name: string; text: string }[] = [];
  for (let n = 0; n < count; n++) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error("no entry of the directory");
    const [crc, packed, size] = [16, 20, 24].map((from) => zip.readUInt32LE(at + from));
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const stored = zip.subarray(from, from + (packed ?? 0));
    const bytes = zip.readUInt16LE(at + 10) === 0 ? stored : inflateRawSync(stored);
    if (bytes.length !== size || Bun.hash.crc32(bytes) !== crc) throw new Error(`${name} is damaged`);
    files.push({ name, text: bytes.toString("utf8") });
    at += 46 + nameLength;
  }
  return files;
}
