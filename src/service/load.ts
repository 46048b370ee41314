/**
 * Doors to what loads libSQL, for commands: in the compiled binary its native part is unpacked below the data
 * directory, and only then is the module imported.
 */
import { prepareNative, prepareNativeAhead } from "../runtime/native.ts";

/** The data directory is made where it is not there. */
export async function loadService(dataDir: string) {
  prepareNative(dataDir, true);
  prepareNativeAhead(dataDir);
  return import("./service.ts");
}

/**
 * For commands that work on what is there, and make nothing by looking.
 * @param make for those that fill a data directory which is not there yet.
 */
export async function loadStore(dataDir: string, make = false) {
  prepareNative(dataDir, make);
  return import("./store.ts");
}

/** Backups and restores; these make the data directory. */
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
