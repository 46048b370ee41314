/**
 * The cache of template files: how often a file is stat'ed and read, when a change is noticed, and what is
 * not exposed.
 */
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createTemplateFiles, type Disk, realDisk } from "../../../src/executor/template/template-files.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "template-files-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Counts system calls; the clock is advanced manually. */
function rig(...roots: string[]) {
  const counts = { looks: 0, reads: 0 };
  const disk: Disk = {
    stamp(path) {
      counts.looks++;
      return realDisk.stamp(path);
    },
    read(root, name) {
      counts.reads++;
      const found = realDisk.read(root, name);
      // Pretends that files were written long ago, except for tests of recent writes.
      return found && { ...found, changedMs: rules.fresh ? Date.now() : 0 };
    },
  };
  const rules = { fresh: false };
  let time = 0;
  const files = createTemplateFiles(roots, disk, () => time);
  return { files, counts, rules, later: (ms: number) => (time += ms) };
}

test("a template file in use is checked once a second and read once", () => {
  const { files, counts, later } = rig(makeFolder({ "a.j2": "one", "b.j2": "two" }));
  for (let n = 0; n < 100; n++) expect([files.read("a.j2"), files.read("b.j2")]).toEqual(["one", "two"]);
  expect(counts).toEqual({ looks: 2, reads: 2 });
  later(999);
  files.read("a.j2");
  expect(counts).toEqual({ looks: 2, reads: 2 });
  later(1);
  files.read("a.j2");
  files.read("a.j2");
  expect(counts).toEqual({ looks: 3, reads: 2 });
});

test("a changed template file is noticed after a second: edited, replaced, removed or restored", () => {
  const root = makeFolder({ "a.j2": "one" });
  const { files, later } = rig(root);
  const after = (change: () => void) => {
    change();
    later(1000);
    return files.read("a.j2");
  };
  expect(files.read("a.j2")).toBe("one");
  expect(after(() => writeFileSync(join(root, "a.j2"), "other"))).toBe("other");
  writeFileSync(join(root, "new.j2"), "third");
  expect(after(() => renameSync(join(root, "new.j2"), join(root, "a.j2")))).toBe("third");
  expect(after(() => rmSync(join(root, "a.j2")))).toBeUndefined();
  expect(after(() => writeFileSync(join(root, "a.j2"), "back"))).toBe("back");
});

test("a replaced template file with equal size and older times is noticed", () => {
  const root = makeFolder({ "a.j2": "one" });
  const { files, later } = rig(root);
  const path = join(root, "a.j2");
  utimesSync(path, 1, 1);
  expect(files.read("a.j2")).toBe("one");
  writeFileSync(join(root, "b.j2"), "two");
  utimesSync(join(root, "b.j2"), 1, 1);
  renameSync(join(root, "b.j2"), path);
  later(1000);
  expect(files.read("a.j2")).toBe("two");
});

test("a file written just before it was read is read again", () => {
  const { files, counts, rules, later } = rig(makeFolder({ "a.j2": "one" }));
  rules.fresh = true;
  files.read("a.j2");
  later(1000);
  files.read("a.j2");
  expect(counts.reads).toBe(2);
  rules.fresh = false;
  later(1000);
  files.read("a.j2");
  later(1000);
  files.read("a.j2");
  expect(counts.reads).toBe(3);
});

test("the first root that has the file wins, even if it appears later; absence is cached for a second", () => {
  const [first, second] = [makeFolder(), makeFolder({ "a.j2": "of the second" })];
  const { files, counts, later } = rig(first, second);
  for (let n = 0; n < 10; n++) expect(files.read("a.j2")).toBe("of the second");
  for (let n = 0; n < 10; n++) expect(files.read("absent.j2")).toBeUndefined();
  expect(counts).toEqual({ looks: 4, reads: 1 });
  writeFileSync(join(first, "a.j2"), "of the first");
  later(1000);
  expect(files.read("a.j2")).toBe("of the first");
});

test("names and links that lead out of a root are refused, even for cached files", () => {
  const outside = makeFolder({ "secret.txt": "secret", "a.j2": "outside" });
  const root = makeFolder({ "real.j2": "inside" });
  mkdirSync(join(root, "sub"));
  symlinkSync(join(root, "real.j2"), join(root, "link.j2"));
  symlinkSync(join(outside, "secret.txt"), join(root, "out.j2"));
  const { files, later } = rig(root);
  for (const name of ["../secret.txt", join(outside, "secret.txt"), "out.j2", "sub", "", ".", "x\0y"])
    expect(files.read(name), name).toBeUndefined();
  expect(files.read("link.j2")).toBe("inside");
  rmSync(join(root, "link.j2"));
  symlinkSync(join(outside, "secret.txt"), join(root, "link.j2"));
  later(1000);
  expect(files.read("link.j2")).toBeUndefined();

  writeFileSync(join(root, "sub", "a.j2"), "in sub");
  expect(files.read("sub/a.j2")).toBe("in sub");
  renameSync(join(root, "sub"), join(root, "sub.old"));
  symlinkSync(outside, join(root, "sub"));
  later(1000);
  expect(files.read("sub/a.j2")).toBeUndefined();
});

test("a link replaced between check and read is not followed", () => {
  const outside = makeFolder({ "secret.txt": "secret" });
  const root = makeFolder({ "real.j2": "inside" });
  const link = join(root, "link.j2");
  symlinkSync(join(root, "real.j2"), link);
  const disk: Disk = {
    stamp(path) {
      const stamp = realDisk.stamp(path);
      rmSync(link);
      symlinkSync(join(outside, "secret.txt"), link);
      return stamp;
    },
    read: realDisk.read,
  };
  expect(createTemplateFiles([root], disk).read("link.j2")).toBeUndefined();
});

test("a root that is a link is followed when it changes its target", () => {
  const [oldRelease, newRelease] = [makeFolder({ "a.j2": "release 1" }), makeFolder({ "a.j2": "release 2" })];
  const place = makeFolder();
  const root = join(place, "current");
  symlinkSync(oldRelease, root);
  const { files, later } = rig(root);
  expect(files.read("a.j2")).toBe("release 1");
  linkSync(join(oldRelease, "a.j2"), join(oldRelease, "b.j2"));
  expect(files.read("b.j2")).toBe("release 1");
  rmSync(root);
  symlinkSync(newRelease, root);
  later(1000);
  expect(files.read("a.j2")).toBe("release 2");
});

test("the template cache is limited in size", () => {
  const root = makeFolder();
  const text = "x".repeat(1024 * 1024);
  for (let n = 0; n < 12; n++) writeFileSync(join(root, `${n}.j2`), text);
  const { files, counts } = rig(root);
  for (let n = 0; n < 12; n++) expect(files.read(`${n}.j2`)?.length).toBe(text.length);
  expect(counts.reads).toBe(12);
  files.read("11.j2");
  expect(counts.reads).toBe(12);
  files.read("0.j2");
  expect(counts.reads).toBe(13);
});
