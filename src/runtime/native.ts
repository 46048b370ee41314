/**
 * Where the compiled binary loads the native part of libSQL from. The runtime would unpack it into the folder for
 * temporary files, which may be read-only or forbid programs: it is unpacked below the data directory instead.
 */
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ServiceError } from "../base/errors.ts";
import { type NativeFile, nativeFile } from "./native-file.ts";

/** The build makes libSQL ask here for it. */
const asked = Symbol.for("patchbay.libsql");

/**
 * To be called before anything that loads libSQL.
 * @param make whether the data directory is made where it is not there.
 * @throws ServiceError Unavailable when no folder may hold programs.
 */
export function prepareNative(dataDir: string, make: boolean): void {
  if (nativeFile === undefined) return;
  const file = nativeFile;
  Reflect.set(globalThis, asked, (): unknown => {
    const problems: string[] = [];
    const places = [() => loadBelow(dataDir, file, make), () => loadTemporary(file)];
    // What an account may change must not become part of a program of root, if that can be had otherwise.
    if (isOfAnother(dataDir)) places.reverse();
    for (const load of places) {
      try {
        const found = load();
        if (found !== undefined) return found;
      } catch (error) {
        problems.push(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error));
      }
    }
    const text = `The native part of libSQL can not be loaded: neither ${join(dataDir, folder)} nor the folder for temporary files may hold programs (${problems.join("; ")}). Allow it for the data directory (mount option exec), or set TMPDIR to a folder that may.`;
    throw new ServiceError("Unavailable", text);
  });
}

const folder = "native";

/** Root works in the data directory of the service's account. */
function isOfAnother(dataDir: string): boolean {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid ?? 0;
  return process.getuid?.() === 0 && owner !== 0;
}

function loadBelow(dataDir: string, file: NativeFile, make: boolean): unknown {
  if (!make && statSync(dataDir, { throwIfNoEntry: false }) === undefined) return undefined;
  return createRequire(import.meta.url)(unpackNative(dataDir, file.sha256, () => unpacked(file)));
}

/** Nothing is left there: what is loaded stays so when its file goes. */
function loadTemporary(file: NativeFile): unknown {
  const place = mkdtempSync(join(tmpdir(), "patchbay-native-"));
  try {
    return createRequire(import.meta.url)(unpackNative(place, file.sha256, () => unpacked(file)));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function unpacked({ path }: NativeFile): Uint8Array {
  return Bun.zstdDecompressSync(readFileSync(path));
}

/** One file, named and checked by its hash; those of other versions go. */
export function unpackNative(dataDir: string, hash: string, bytes: () => Uint8Array): string {
  const place = join(dataDir, folder);
  const name = `libsql-${hash.slice(0, 32)}.node`;
  const path = join(place, name);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Nothing secret is in it, and root may have made it for the account of the service.
  mkdirSync(place, { recursive: true, mode: 0o755 });
  if (hashOf(path) !== hash) {
    const fresh = `${path}.${process.pid}`;
    writeFileSync(fresh, bytes(), { mode: 0o755, flag: "wx" });
    renameSync(fresh, path);
  }
  for (const other of readdirSync(place)) {
    if (other !== name) quietly(() => rmSync(join(place, other), { force: true }));
  }
  return path;
}

function hashOf(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

/** What root has left there may stay. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Only room on the disk is lost.
  }
}
