/** The subset of POSIX tar that archives use: regular files only. */
import { ServiceError } from "../base/errors.ts";

export interface TarFile {
  /** Segments separated by `/`, without `.` and `..`. */
  readonly path: string;
  readonly size: number;
  readonly mode: number;
}

export interface TarEntry extends TarFile {
  /** Must be consumed before the next entry is requested. */
  readonly content: AsyncIterable<Uint8Array>;
}

const block = 512;
const maxPathLength = 1_024;
const maxRecordLength = 8_192;
const maxEntries = 200_000;
/** Padding after the end, which tar writers add. */
const maxPadding = 1024 * 1024;

/** Long names and large sizes go into a PAX record (POSIX.1-2001). */
export function tarHeader({ path, size, mode }: TarFile): Buffer {
  const name = Buffer.from(path, "utf8");
  const fits = name.length <= 100 && size < 8 ** 11;
  if (fits) return headerBlock(name, size, mode, "0");
  const records = Buffer.from(`${paxRecord("path", path)}${paxRecord("size", String(size))}`, "utf8");
  return Buffer.concat([
    headerBlock(Buffer.from("pax"), records.length, 0o600, "x"),
    records,
    tarPadding(records.length),
    headerBlock(Buffer.from("long"), size < 8 ** 11 ? size : 0, mode, "0"),
  ]);
}

export function tarPadding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block);
}

export const tarEnd = Buffer.alloc(2 * block);

function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length !== String(rest).length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

function headerBlock(name: Buffer, size: number, mode: number, type: string): Buffer {
  const header = Buffer.alloc(block);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  name.copy(header, 0);
  octal(mode & 0o777, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.write(`        ${type}`, 148, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  octal(sumOf(header), 148, 7);
  return header;
}

function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

/**
 * Reads untrusted archives: regular files only, no duplicates, no paths that escape.
 * @throws ServiceError Validation
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = createReader(source);
  const paths = new Set<string>();
  let record: { path?: string; size?: number } = {};
  for (;;) {
    const header = await bytes.take(block);
    if (header.every((byte) => byte === 0)) return void (await bytes.drain(maxPadding));
    if (fieldOf(header, 148, 8) !== sumOf(header)) throw refused("its headers are damaged");
    const type = String.fromCharCode(header[156] ?? 0);
    const size = record.size ?? fieldOf(header, 124, 12);
    if (type === "x") {
      if (size > maxRecordLength) throw refused("it has an oversized record");
      record = recordsOf(await bytes.take(size));
      await bytes.take(tarPadding(size).length);
      continue;
    }
    if (type !== "0" && type !== "\0") throw refused("it contains an entry that is not a regular file");
    const path = record.path ?? nameOf(header);
    record = {};
    requirePath(path);
    if (paths.has(path)) throw refused(`it holds ${quoted(path)} twice`);
    paths.add(path);
    if (paths.size > maxEntries) throw refused(`it holds more than ${maxEntries} files`);
    const content = bytes.stream(size);
    yield { path, size, mode: fieldOf(header, 100, 8) & 0o777, content };
    for await (const _rest of content);
    await bytes.take(tarPadding(size).length);
  }
}

function requirePath(path: string): void {
  const steps = path.split("/");
  const isPlain = steps.every((step) => step !== "" && step !== "." && step !== "..");
  if (!isPlain || path.length > maxPathLength || /[\0-\x1f\x7f\\]/.test(path))
    throw refused(`it names the path ${quoted(path)}, which leaves the archive`);
}

const quoted = (path: string) => JSON.stringify(path.slice(0, 200));

function nameOf(header: Buffer): string {
  const text = (at: number, length: number) =>
    header
      .subarray(at, at + length)
      .toString("utf8")
      .replace(/\0.*$/s, "");
  const prefix = header.toString("latin1", 257, 262) === "ustar" ? text(345, 155) : "";
  return prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`;
}

function fieldOf(header: Buffer, at: number, length: number): number {
  const text = header.toString("latin1", at, at + length).replace(/[\0 ].*$/s, "");
  if (/^[0-7]{1,12}$/.test(text)) return Number.parseInt(text, 8);
  throw refused("its headers are damaged");
}

function recordsOf(bytes: Buffer): { path?: string; size?: number } {
  const records: { path?: string; size?: number } = {};
  for (let at = 0; at < bytes.length; ) {
    const head = /^(\d{1,5}) ([^=\n]{1,64})=/.exec(bytes.toString("utf8", at, at + 128));
    const length = Number(head?.[1] ?? 0);
    if (head === null || length < head[0].length || at + length > bytes.length)
      throw refused("its records are damaged");
    const value = bytes.toString("utf8", at + Buffer.byteLength(head[0]), at + length - 1);
    if (head[2] === "path") records.path = value;
    if (head[2] === "size") {
      if (!/^\d{1,15}$/.test(value)) throw refused("its records are damaged");
      records.size = Number(value);
    }
    at += length;
  }
  return records;
}

function createReader(source: AsyncIterable<Uint8Array>) {
  const pieces = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function more(): Promise<boolean> {
    const next = await pieces.next();
    if (next.done === true) return false;
    rest = rest.length === 0 ? Buffer.from(next.value) : Buffer.concat([rest, next.value]);
    return true;
  }

  async function take(size: number): Promise<Buffer> {
    while (rest.length < size) if (!(await more())) throw refused("it is truncated");
    const bytes = rest.subarray(0, size);
    rest = rest.subarray(size);
    return bytes;
  }

  return {
    take,
    stream(size: number): AsyncIterable<Uint8Array> {
      let remaining = size;
      return (async function* () {
        while (remaining > 0) {
          if (rest.length === 0 && !(await more())) throw refused("it is truncated");
          const piece = rest.subarray(0, Math.min(remaining, rest.length));
          rest = rest.subarray(piece.length);
          remaining -= piece.length;
          yield piece;
        }
      })();
    },
    /** Reads to the end, where compression and encryption are verified. */
    async drain(maxBytes: number): Promise<void> {
      let size = rest.length;
      rest = Buffer.alloc(0);
      while (await more()) {
        size += rest.length;
        rest = Buffer.alloc(0);
        if (size > maxBytes) throw refused("there is data after its end");
      }
    },
  };
}

export function refused(why: string): ServiceError {
  return new ServiceError("Validation", `This archive cannot be used: ${why}.`);
}
