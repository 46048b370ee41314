/** The copies of the database that upgrades have made: the newest are kept. */
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { requireFolder } from "./data.ts";

/** With the one that was just made. */
export const keptBackups = 5;
/** Of one upgrade: its copy, and where it was taken back the database of the version that did not get ready. */
const ofUpgrade = /^before-upgrade-from-.+-(\d{17})(?:\.backup|-of-the-new-version\.db(?:-wal|-shm)?)$/;

/**
 * @param made stays whatever its name says: the clock may have been set back.
 * @returns of how many upgrades something was removed
 */
export function removeOldBackups(made: string): number {
  const folder = dirname(made);
  requireFolder(folder);
  const byTime = new Map<string, string[]>();
  for (const name of readdirSync(folder)) {
    const time = ofUpgrade.exec(name)?.[1];
    if (time !== undefined && time !== ofUpgrade.exec(basename(made))?.[1])
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
