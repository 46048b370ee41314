/**
 * Modules of Node that a start does without: Bun takes up to 6 ms and 4 MB to load one, so that the first call that
 * needs it does. An import would load it with the file that it stands in.
 */
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

export const zlib = (): typeof import("node:zlib") => load("node:zlib");
export const net = (): typeof import("node:net") => load("node:net");
export const childProcess = (): typeof import("node:child_process") => load("node:child_process");
