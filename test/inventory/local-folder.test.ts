/** The source local_folder: what it reads of a folder that others may write. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import fetchFolder from "../../plugins/inventory/local-folder/fetch.ts";
import { run } from "../../scripts/testbed/run.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "local-folder-")));
  mkdirSync(join(root, "in"));
});
afterEach(() => rmSync(root, { recursive: true }));

const fetched = (url = `file://${root}/in`, templateFolder = async (path: string) => path) =>
  fetchFolder({ url, templateFolder });

test("files of it and of folders in it are read; links, pipes and hidden ones are not", async () => {
  writeFileSync(join(root, "secret"), "secret");
  writeFileSync(join(root, "in/b.j2"), "b");
  mkdirSync(join(root, "in/a"));
  writeFileSync(join(root, "in/a/c.j2"), "c");
  writeFileSync(join(root, "in/.hidden"), "x");
  symlinkSync(join(root, "secret"), join(root, "in/link"));
  symlinkSync(root, join(root, "in/up"));
  run(["mkfifo", join(root, "in/pipe")], { mustSucceed: true });
  expect(await fetched()).toEqual({
    files: [
      { name: "a/c.j2", text: "c" },
      { name: "b.j2", text: "b" },
    ],
    folder: "",
  });
});

test("a folder that leads elsewhere by the time it is read gives nothing", async () => {
  mkdirSync(join(root, "out"));
  writeFileSync(join(root, "out/secret"), "secret");
  symlinkSync(join(root, "out"), join(root, "in/moved"));
  // As if the folder itself had been checked, and then replaced.
  expect(await fetched(`file://${root}/in/moved`)).toMatchObject({ files: [] });
});

test("what has too many entries, levels or bytes is refused, whatever they are", async () => {
  for (let at = 0; at < 10_001; at++) symlinkSync("/", join(root, "in", `link-${at}`));
  await expect(fetched()).rejects.toMatchObject({
    kind: "PayloadTooLarge",
    message: expect.stringContaining("entries"),
  });
  rmSync(join(root, "in"), { recursive: true });
  mkdirSync(join(root, `in${"/d".repeat(11)}`), { recursive: true });
  await expect(fetched()).rejects.toMatchObject({ message: expect.stringContaining("levels") });
  rmSync(join(root, "in"), { recursive: true });
  mkdirSync(join(root, "in"));
  for (const name of ["a", "b"]) writeFileSync(join(root, "in", name), Buffer.alloc(5 * 1024 * 1024, "x"));
  await expect(fetched()).rejects.toMatchObject({ message: expect.stringContaining("bytes") });
});

test.each(["file:///a%2Fb", "file:///a%2fb/c"])("an address that names no path is told: %s", async (url) => {
  await expect(fetched(url)).rejects.toMatchObject({
    kind: "Forbidden",
    message: expect.stringContaining("slash"),
  });
});
