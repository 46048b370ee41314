/**
 * Root's operations in the service account's data directory never leave it, whatever links the account has
 * placed there.
 */
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { requireFolder } from "../../src/commands/appliance/data.ts";
import { markUnfinished, undoUnfinished } from "../../src/service/backup/unfinished.ts";
import { giveToOwner } from "../../src/service/storage/owner.ts";
import { copyPrivately, makePrivateFile } from "../../src/service/storage/private-file.ts";
import { tempFolder } from "../../src/testkit/service.ts";

const nobody = 65_534;
let folder: string;
let data: string;
let other: string;
beforeEach(() => {
  folder = tempFolder();
  data = join(folder, "data");
  other = join(folder, "other");
  mkdirSync(data);
  mkdirSync(other);
  writeFileSync(join(other, "shadow"), "of root");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.runIf(process.getuid?.() === 0)("changing ownership does not follow a link", () => {
  chownSync(data, nobody, nobody);
  const link = join(data, "master.key");
  symlinkSync(join(other, "shadow"), link);
  giveToOwner(data, [link]);
  expect(statSync(link).uid).toBe(0);
  expect(lstatSync(link).uid).toBe(nobody);
});

test("undoing an unfinished restore does not follow links", () => {
  symlinkSync(other, join(data, "plugins"));
  mkdirSync(join(data, "templates"));
  writeFileSync(join(data, "templates", "a.j2"), "");
  markUnfinished(data, ["plugins/shadow", "../other/shadow", "missing/a", "templates/a.j2", "templates/"]);
  undoUnfinished(data);
  expect(existsSync(join(other, "shadow"))).toBe(true);
  expect(existsSync(join(data, "templates"))).toBe(false);
});

test("copies before an upgrade are written to a real folder only", () => {
  const link = join(data, "backups");
  symlinkSync(other, link);
  expect(() => requireFolder(link)).toThrow("is not a directory of its own");
  expect(() => requireFolder(other)).not.toThrow();
});

test("a copy to a missing folder fails with the folder's name", () => {
  const place = join(folder, "nowhere");
  expect(() => makePrivateFile(join(place, ".x.db"))).toThrow(
    `The copy cannot be written in ${place}: there is no such folder.`,
  );
});

test("a copy never overwrites a file or follows a link", () => {
  const source = join(folder, "source");
  writeFileSync(source, Buffer.alloc(3_000_000, "x"));
  const target = join(data, "patchbay.db");
  symlinkSync(join(other, "new"), target);
  expect(() => copyPrivately(source, target)).toThrow("cannot be written");
  expect(existsSync(join(other, "new"))).toBe(false);
  rmSync(target);
  copyPrivately(source, target);
  expect([statSync(target).size, statSync(target).mode & 0o777]).toEqual([3_000_000, 0o600]);
});
