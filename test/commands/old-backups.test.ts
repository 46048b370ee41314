/** Copies made by upgrades: the newest ones are kept, and nothing else in the folder is touched. */

import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keptBackups, removeOldBackups } from "../../src/commands/appliance/upgrade.ts";
import { tempFolder } from "../../src/testkit/service.ts";

const nameOf = (day: number, end = ".backup") =>
  `before-upgrade-from-0.2.0-rc.1-202611${String(day).padStart(2, "0")}120000000${end}`;

function folderWith(...names: string[]): string {
  const folder = join(tempFolder(), "backups");
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), "x");
  return folder;
}

test("the five newest copies are kept, with the database that one of them set aside", () => {
  const aside = ["-of-the-new-version.db", "-of-the-new-version.db-wal"];
  const own = ["patchbay-20261101T020000Z.tar.gz", "before-upgrade-of-mine.backup", `x${nameOf(1)}`];
  const days = [1, 2, 3, 4, 5, 6, 7];
  const folder = folderWith(
    ...own,
    ...days.map((day) => nameOf(day)),
    ...[2, 6].flatMap((day) => aside.map((end) => nameOf(day, end))),
  );
  expect(removeOldBackups(join(folder, nameOf(7)))).toBe(2);
  const stay = [...[3, 4, 5, 6, 7].map((day) => nameOf(day)), ...aside.map((end) => nameOf(6, end))];
  expect(readdirSync(folder).sort()).toEqual([...own, ...stay].sort());
  expect(removeOldBackups(join(folder, nameOf(7)))).toBe(0);
});

test("the copy just made is kept, even if the clock was set back", () => {
  const folder = folderWith(...[5, 6, 7, 8, 9, 1].map((day) => nameOf(day)));
  expect(removeOldBackups(join(folder, nameOf(1)))).toBe(1);
  expect(readdirSync(folder)).toHaveLength(keptBackups);
  expect(readdirSync(folder)).toContain(nameOf(1));
  expect(readdirSync(folder)).not.toContain(nameOf(5));
});

test("a link in place of the backup folder is not followed", () => {
  const elsewhere = folderWith(...[1, 2, 3, 4, 5, 6, 7].map((day) => nameOf(day)));
  const link = join(tempFolder(), "backups");
  symlinkSync(elsewhere, link);
  expect(() => removeOldBackups(join(link, nameOf(7)))).toThrow("not a directory of its own");
  expect(readdirSync(elsewhere)).toHaveLength(7);
});
