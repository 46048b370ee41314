/** Writes a ZIP archive file by file; only the central directory entries are kept in memory. */
import { zlib } from "./lazy-modules.ts";

export interface ZipEntry {
  /** Safe: no `..`, no leading slash, no duplicates. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Milliseconds since 1970; stored in UTC. */
  readonly at: number;
}

/** Limits of the format without ZIP64, which has 16-bit counts and 32-bit sizes. */
export const zipLimits = { files: 50_000, bytes: 3.9e9 } as const;

export interface ZipWriter {
  /** @returns the bytes of the file in the archive. */
  add(entry: ZipEntry): Promise<Uint8Array[]>;
  /** Whether the archive has room for a file of this size and one more. */
  hasRoomFor(bytes: number): boolean;
  /** @returns the central directory, which ends the archive. */
  end(): Uint8Array;
}

/** Smaller files are compressed synchronously: the thread pool's round trip takes longer. */
const packedHere = 32 * 1024;
const version = 20;
/** Names are UTF-8. */
const flags = 0x0800;
const deflated = 8;

export function createZip(): ZipWriter {
  const directory: Buffer[] = [];
  let offset = 0;

  return {
    async add({ name, bytes, at }) {
      const path = Buffer.from(name, "utf8");
      const packed = bytes.length <= packedHere ? zlib().deflateRawSync(bytes) : await pack(bytes);
      const facts = factsOf(bytes, packed, at, path);
      const head = Buffer.concat([header(0x04034b50, [version]), facts, u16(0), path]);
      directory.push(
        Buffer.concat([
          header(0x02014b50, [version, version]),
          facts,
          // No extra field, no comment, first disk, no attributes.
          u16(0, 0, 0, 0),
          u32(0, offset),
          path,
        ]),
      );
      offset += head.length + packed.length;
      return [head, packed];
    },
    hasRoomFor: (bytes) => directory.length + 1 < zipLimits.files && offset + bytes < zipLimits.bytes,
    end() {
      const size = directory.reduce((sum, { length }) => sum + length, 0);
      const { length } = directory;
      const tail = Buffer.concat([u32(0x06054b50), u16(0, 0, length, length), u32(size, offset), u16(0)]);
      return Buffer.concat([...directory, tail]);
    },
  };
}

function pack(bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zlib().deflateRaw(bytes, (error, packed) => (error ? reject(error) : resolve(packed)));
  });
}

function header(signature: number, versions: readonly number[]): Buffer {
  return Buffer.concat([u32(signature), u16(...versions, flags, deflated)]);
}

/** Header fields that appear in both places: time, checksum, sizes, length of the name. */
function factsOf(bytes: Uint8Array, packed: Uint8Array, at: number, path: Buffer): Buffer {
  const day = new Date(Math.max(at, Date.UTC(1980, 0, 1)));
  const time = (day.getUTCHours() << 11) | (day.getUTCMinutes() << 5) | (day.getUTCSeconds() >> 1);
  const date =
    (Math.min(127, day.getUTCFullYear() - 1980) << 9) | ((day.getUTCMonth() + 1) << 5) | day.getUTCDate();
  return Buffer.concat([u16(time, date), u32(crc32(bytes), packed.length, bytes.length), u16(path.length)]);
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (table[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
  return ~sum >>> 0;
}

function u16(...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(2 * numbers.length);
  for (const [at, value] of numbers.entries()) buffer.writeUInt16LE(value, 2 * at);
  return buffer;
}

function u32(...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * numbers.length);
  for (const [at, value] of numbers.entries()) buffer.writeUInt32LE(value, 4 * at);
  return buffer;
}
