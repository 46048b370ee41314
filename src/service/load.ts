/**
 * Loads modules that need libSQL, for commands: the compiled binary must first unpack the native library below the data
 * directory.
 */
import { prepareNative, prepareNativeAhead } from "../runtime/native/native.ts";

export type { Progress as MoveProgress } from "../store/move/move.ts";

/** Creates the data directory if it is missing. */
export async function loadService(dataDir: string) {
  prepareNative(dataDir, true);
  prepareNativeAhead(dataDir);
  return import("./service.ts");
}

/**
 * For commands that work on an existing directory and create nothing just by reading.
 * @param make for commands that fill a new data directory.
 */
export async function loadStore(dataDir: string, make = false) {
  prepareNative(dataDir, make);
  return import("./storage/store.ts");
}

/** Moves of the store, which may make its file. */
export async function loadMove(dataDir: string) {
  prepareNative(dataDir, true);
  return import("./storage/move.ts");
}

/** Roles and persons, on an existing directory. @param make as for `loadStore` */
export async function loadPersons(dataDir: string, make = false) {
  prepareNative(dataDir, make);
  return import("./persons.ts");
}

/** Backup and restore; with `make` it creates the data directory. */
export async function loadBackup(dataDir: string, make = false) {
  prepareNative(dataDir, make);
  return import("./backup/backup.ts");
}

export async function loadDoctor(dataDir: string) {
  prepareNative(dataDir, false);
  return import("./doctor/doctor.ts");
}

export async function loadChecks(dataDir: string) {
  prepareNative(dataDir, false);
  return import("./check.ts");
}
