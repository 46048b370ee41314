/** A folder that is held open: renaming paths meanwhile has no effect. */
import {
  constants,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFolderUsage } from "../../../src/base/files/folder-usage.ts";
import { openFolder, openFolderOf } from "../../../src/base/files/open-folder.ts";

const { O_RDONLY, O_RDWR, O_CREAT, O_TRUNC } = constants;
let base: string;
let root: string;
let outside: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "patchbay-held-"));
  root = join(base, "root");
  outside = join(base, "outside");
  mkdirSync(join(root, "in"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "secret");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));
const refused = "The path is outside the allowed folders.";

test("a folder replaced by a link between check and opening is not followed", async () => {
  const { folder, name } = await openFolderOf(join(root, "in", "file"), [root]);
  renameSync(join(root, "in"), join(root, "away"));
  symlinkSync(outside, join(root, "in"));
  const file = await folder.open(name, O_RDWR | O_CREAT, 0o600);
  await file.write("mine");
  await file.close();
  await folder.close();
  expect(readdirSync(outside)).toEqual(["secret"]);
  expect(readFileSync(join(root, "away", "file"), "utf8")).toBe("mine");
  await expect(openFolderOf(join(root, "in", "file"), [root])).rejects.toThrow(refused);
});

test("outside paths, links, hard links and devices are refused without truncating them", async () => {
  for (const path of [join(outside, "secret"), join(root, "..", "x"), "/etc/passwd", "/", join(root, "x\0y")])
    await expect(openFolderOf(path, [root])).rejects.toThrow(refused);
  const folder = await openFolder(root, [root]);
  symlinkSync(join(outside, "secret"), join(root, "link"));
  symlinkSync(outside, join(root, "way-out"));
  linkSync(join(outside, "secret"), join(root, "second"));
  for (const name of ["link", "second", "in"])
    await expect(folder.open(name, O_RDWR | O_TRUNC)).rejects.toThrow();
  await expect(folder.folder("way-out")).rejects.toThrow();
  for (const name of ["..", ".", "", "in/file", "x\0y"]) expect(() => folder.at(name)).toThrow(refused);
  const devices = await openFolder("/dev", undefined);
  await expect(devices.open("zero", O_RDONLY)).rejects.toThrow(refused);
  await Promise.all([folder.close(), devices.close()]);
  expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
});

test("folder usage counts existing files and reservations until released", async () => {
  writeFileSync(join(root, "in", "a"), "12345");
  symlinkSync("/usr", join(root, "link"));
  const room = createFolderUsage([root, join(base, "none")], { bytes: 100, entries: 5 });
  await room.look();
  expect(room.take(101)).toBe(false);
  expect(room.take(60)).toBe(true);
  expect(room.take(60)).toBe(false);
  room.give(60);
  expect(room.take(60, 2)).toBe(true);
  expect(room.take(0, 1)).toBe(false);
});
