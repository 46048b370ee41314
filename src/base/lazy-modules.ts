/**
 * Node modules that start-up does not need: Bun takes up to 6 ms and 4 MB to load one, so they are loaded on first use.
 * An import would load them together with the importing file.
 */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** Its types are those of the oldest Node that plugins are typed for, which had no `crc32` and no zstd. */
type Zlib = typeof import("node:zlib") & {
  crc32(data: Uint8Array): number;
  zstdCompressSync(data: Uint8Array): Buffer;
  zstdDecompressSync(data: Uint8Array, options: { readonly maxOutputLength: number }): Buffer;
};

export const zlib = (): Zlib => load("node:zlib");
export const net = (): typeof import("node:net") => load("node:net");
export const childProcess = (): typeof import("node:child_process") => load("node:child_process");
