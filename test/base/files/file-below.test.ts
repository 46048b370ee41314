/** Files below roots: links, pipes and paths that lead outside are refused. */
import { linkSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileBelow, filesIn } from "../../../src/base/files/file-below.ts";

describe("fileBelow", () => {
  const base = mkdtempSync(join(tmpdir(), "guard-"));
  const root = join(base, "root");
  mkdirSync(root);
  writeFileSync(join(base, "outside.txt"), "x");
  writeFileSync(join(root, "in.txt"), "x");
  writeFileSync(join(root, "linked.txt"), "x");
  linkSync(join(root, "linked.txt"), join(base, "hard.txt"));
  symlinkSync(join(base, "outside.txt"), join(root, "escape.txt"));
  symlinkSync(base, join(root, "up"));

  test("gives the real path of a file inside", async () => {
    expect(await fileBelow([root], "in.txt", "read")).toBe(join(realpathSync(root), "in.txt"));
    expect(await fileBelow([root], join(root, "in.txt"), "read")).toBe(join(realpathSync(root), "in.txt"));
    expect(await fileBelow([root], "new.txt", "write")).toBe(join(realpathSync(root), "new.txt"));
  });

  test.each([
    "../outside.txt",
    "escape.txt",
    "up/outside.txt",
    "/etc/passwd",
    "/proc/self/environ",
    "in.txt\0",
    "/dev/zero",
    "absent.txt",
    "linked.txt",
    "",
    ".",
    "..",
  ])("refuses %j with the same message", async (path) => {
    await expect(fileBelow([root], path, "read")).rejects.toThrow("The path is outside the allowed folders.");
  });

  test("refuses to write through a link that leads outside", async () => {
    await expect(fileBelow([root], "escape.txt", "write")).rejects.toThrow("outside");
    await expect(fileBelow([root], "up/new.txt", "write")).rejects.toThrow("outside");
    await expect(fileBelow([], "in.txt", "read")).rejects.toThrow("outside");
  });
});

test("filesIn lists the files of all folders, and follows no link", () => {
  const folder = mkdtempSync(join(tmpdir(), "listed-"));
  mkdirSync(join(folder, "one", "two"), { recursive: true });
  for (const path of ["a.txt", "one/b.txt", "one/two/c.txt"]) writeFileSync(join(folder, path), "x");
  symlinkSync("/etc", join(folder, "one", "etc"));
  symlinkSync("a.txt", join(folder, "linked.txt"));
  symlinkSync(folder, join(folder, "one", "loop"));
  const files = ["a.txt", "one/b.txt", "one/two/c.txt"].map((path) => join(folder, path));
  expect(filesIn(folder).sort()).toEqual(files);
});
