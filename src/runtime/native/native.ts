/**
 * Where the compiled binary loads the native libSQL library from. The runtime would unpack it into the temporary
 * folder, which may be read-only or mounted noexec, so it is unpacked below the data directory instead.
 */
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { ServiceError } from "../../base/errors.ts";
import { type NativeFile, nativeFile } from "./native-file.ts";

/** The build makes libSQL look up its library here. */
const asked = Symbol.for("patchbay.libsql");

/**
 * Must be called before anything that loads libSQL.
 * @param make whether to create a missing data directory.
 * @throws ServiceError Unavailable if no folder allows executable files.
 */
export function prepareNative(dataDir: string, make: boolean): void {
  if (nativeFile === undefined) return;
  const file = nativeFile;
  Reflect.set(globalThis, asked, (): unknown => {
    const problems: string[] = [];
    const places = [() => loadBelow(dataDir, file, make), () => loadTemporary(file)];
    // Root should avoid loading a library that another account can modify.
    if (isOfAnother(dataDir)) places.reverse();
    for (const load of places) {
      try {
        const found = load();
        if (found !== undefined) return found;
      } catch (error) {
        problems.push(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error));
      }
    }
    const text = `The native part of libSQL cannot be loaded: neither ${join(dataDir, folder)} nor the folder for temporary files may contain programs (${problems.join("; ")}). Allow it for the data directory (mount option exec), or set TMPDIR to a folder that may.`;
    throw new ServiceError("Unavailable", text);
  });
}

const folder = "native";

/** Path, once it has been unpacked or verified in the background. */
let readyAt: string | undefined;
let ahead: Promise<void> | undefined;

/**
 * Prepares the native library on other cores while the service's code loads: a first start unpacks 10 MB, each start
 * verifies them. If this fails, the load does it itself and reports the error.
 */
export function prepareNativeAhead(dataDir: string): void {
  ahead = unpackAhead(dataDir);
}

/** Awaited before libSQL is loaded, if the preparation runs in the background. */
export async function nativePrepared(): Promise<void> {
  await ahead;
}

async function unpackAhead(dataDir: string): Promise<void> {
  if (nativeFile === undefined) return;
  const { path: packed, sha256 } = nativeFile;
  try {
    if (isOfAnother(dataDir)) return;
    const { place, path, fresh } = placeIn(dataDir, sha256);
    if ((await hashAhead(path)) !== sha256) {
      await writeFile(fresh, await Bun.zstdDecompress(await readFile(packed)), programOnce);
      renameSync(fresh, path);
    }
    removeOthers(place, path);
    readyAt = path;
  } catch {
    // The load reports the error.
  }
}

async function hashAhead(path: string): Promise<string | undefined> {
  if (!isFile(path)) return undefined;
  return Buffer.from(await crypto.subtle.digest("SHA-256", await readFile(path))).toString("hex");
}

/** Undefined also below a file, which is reported by the check of the data directory. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether root is working in the data directory of the service account. */
function isOfAnother(dataDir: string): boolean {
  const owner = statOf(dataDir)?.uid ?? 0;
  return process.getuid?.() === 0 && owner !== 0;
}

function loadBelow(dataDir: string, file: NativeFile, make: boolean): unknown {
  if (!make && statOf(dataDir) === undefined) return undefined;
  const path = readyAt ?? unpackNative(dataDir, file.sha256, () => unpacked(file));
  return createRequire(import.meta.url)(path);
}

/** Loads it and deletes the file right away: the library stays mapped. */
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

/** One file, named by its hash and verified; other versions are deleted. */
export function unpackNative(dataDir: string, hash: string, bytes: () => Uint8Array): string {
  const { place, path, fresh } = placeIn(dataDir, hash);
  if (hashOf(path) !== hash) {
    writeFileSync(fresh, bytes(), programOnce);
    renameSync(fresh, path);
  }
  removeOthers(place, path);
  return path;
}

const programOnce = { mode: 0o755, flag: "wx" };

function placeIn(dataDir: string, hash: string) {
  const place = join(dataDir, folder);
  const path = join(place, `libsql-${hash.slice(0, 32)}.node`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // It contains no secrets, and root may create it for the service account.
  mkdirSync(place, { recursive: true, mode: 0o755 });
  return { place, path, fresh: `${path}.${process.pid}` };
}

function removeOthers(place: string, path: string): void {
  for (const name of readdirSync(place)) {
    const other = join(place, name);
    if (other !== path) quietly(() => rmSync(other, { force: true }));
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function hashOf(path: string): string | undefined {
  if (!isFile(path)) return undefined;
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

/** Files that root created may stay. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Costs only disk space.
  }
}
