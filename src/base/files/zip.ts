/** Writes a ZIP archive file by file; only the central directory entries are kept in memory. */

import { zlib } from "../lazy-modules.ts";
import { createByteBuffer } from "../net/byte-buffer.ts";

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
  /** @returns the bytes of the file in the archive; a promise only if compressing them takes long. */
  add(entry: ZipEntry): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  /** Whether the archive has room for a file of this size and one more. */
  hasRoomFor(bytes: number): boolean;
  /** @returns the central directory, which ends the archive. */
  end(): Uint8Array;
}

/** Smaller files are stored as they are: compressing them saves nothing and took a fifth of an export. */
const worthPacking = 96;
/** Smaller files are compressed synchronously: the thread pool's round trip takes longer. */
const packedHere = 32 * 1024;
const version = 20;
/** Names are UTF-8. */
const flags = 0x0800;
/** Method of compression. */
const [asIs, deflated] = [0, 8];
/** A fifth of the usual time; configurations become a tenth larger. */
const level = 2;
const localBytes = 30;
const centralBytes = 46;

export function createZip(): ZipWriter {
  const directory = createByteBuffer();
  let files = 0;
  let offset = 0;

  function write({ name, bytes, at }: ZipEntry, packed: Uint8Array, method: number): readonly Uint8Array[] {
    const path = Buffer.from(name, "utf8");
    const sum = zlib().crc32(bytes);
    const facts = (head: Buffer, from: number) => {
      head.writeUInt16LE(version, from);
      head.writeUInt16LE(flags, from + 2);
      head.writeUInt16LE(method, from + 4);
      head.writeUInt32LE(dosTime(at), from + 6);
      head.writeUInt32LE(sum, from + 10);
      head.writeUInt32LE(packed.length, from + 14);
      head.writeUInt32LE(bytes.length, from + 18);
      head.writeUInt16LE(path.length, from + 22);
    };
    const head = Buffer.alloc(localBytes + path.length);
    head.writeUInt32LE(0x04034b50, 0);
    facts(head, 4);
    path.copy(head, localBytes);
    const entry = Buffer.alloc(centralBytes + path.length);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(version, 4);
    facts(entry, 6);
    entry.writeUInt32LE(offset, 42);
    path.copy(entry, centralBytes);
    directory.add(entry);
    files++;
    offset += head.length + packed.length;
    return [head, packed];
  }

  return {
    add(entry) {
      const { bytes } = entry;
      if (bytes.length < worthPacking) return write(entry, bytes, asIs);
      if (bytes.length <= packedHere) return write(entry, zlib().deflateRawSync(bytes, { level }), deflated);
      return pack(bytes).then((packed) => write(entry, packed, deflated));
    },
    hasRoomFor: (bytes) => files + 1 < zipLimits.files && offset + bytes < zipLimits.bytes,
    end() {
      const entries = directory.take();
      const tail = Buffer.alloc(22);
      tail.writeUInt32LE(0x06054b50, 0);
      tail.writeUInt16LE(files, 8);
      tail.writeUInt16LE(files, 10);
      tail.writeUInt32LE(entries.length, 12);
      tail.writeUInt32LE(offset, 16);
      return Buffer.concat([entries, tail]);
    },
  };
}

function pack(bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zlib().deflateRaw(bytes, { level }, (error, packed) => (error ? reject(error) : resolve(packed)));
  });
}

/** Time in the lower half and date in the upper one, to two seconds, from 1980. */
function dosTime(at: number): number {
  const day = new Date(Math.max(at, Date.UTC(1980, 0, 1)));
  const time = (day.getUTCHours() << 11) | (day.getUTCMinutes() << 5) | (day.getUTCSeconds() >> 1);
  const date =
    (Math.min(127, day.getUTCFullYear() - 1980) << 9) | ((day.getUTCMonth() + 1) << 5) | day.getUTCDate();
  return date * 0x10000 + time;
}
