/** Rotates the database backups made by upgrades: the newest are kept. */
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { requireFolder } from "./data.ts";

/** Including the one just made. */
export const keptBackups = 5;
/** Files of one upgrade: the backup and, after a rollback, the database of the failed version. */
const ofUpgrade = /^before-upgrade-from-.+-(\d{17})(?:\.backup|-of-the-new-version\.db(?:-wal|-shm)?)$/;

/**
 * @param newBackup the new backup, kept whatever its name sorts as: the clock may have been set back.
 * @returns the number of upgrades whose files were removed
 */
export function removeOldBackups(newBackup: string): number {
  const folder = dirname(newBackup);
  requireFolder(folder);
  const byTime = new Map<string, string[]>();
  for (const name of readdirSync(folder)) {
    const time = ofUpgrade.exec(name)?.[1];
    if (time !== undefined && time !== ofUpgrade.exec(basename(newBackup))?.[1])
      byTime.set(time, [...(byTime.get(time) ?? []), name]);
  }
  const old = [...byTime.keys()]
    .sort()
    .reverse()
    .slice(keptBackups - 1);
  for (const time of old)
    for (const name of byTime.get(time) ?? []) rmSync(join(folder, name), { force: true });
  return old.length;
}
