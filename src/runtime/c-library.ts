/** Functions of the linked C library, for what the runtime does not have. Bun only. */
import { dlopen, type FFIFunction } from "bun:ffi";

/** glibc, then musl. */
const libraries = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/** @returns undefined if there is no such library, as outside Linux */
export function openLibrary<const Calls extends Record<string, FFIFunction>>(calls: Calls) {
  for (const name of libraries) {
    try {
      return dlopen(name, calls).symbols;
    } catch {
      // Try the other C library.
    }
  }
  return undefined;
}
