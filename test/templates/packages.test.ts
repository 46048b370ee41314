/** The example in the README of each package, run as a project of its own would: by name, without the service. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { readPackages } from "../../scripts/house/packages.ts";
import { tempFolder } from "../../src/testkit/service.ts";

const packages = readPackages();

/** A project that has the packages, and nothing else of this one. */
function project(): string {
  const folder = tempFolder();
  mkdirSync(join(folder, "node_modules", "@patchbay"), { recursive: true });
  for (const one of packages) symlinkSync(resolve(one.folder), join(folder, "node_modules", one.name));
  return folder;
}

test.each(packages.map(({ name, folder }) => [name, folder]))("the example of %s", (_name, folder) => {
  const page = readFileSync(join(folder, "README.md"), "utf8");
  const [, code = "", output = ""] = /```ts\n(.*?)```\n+```text\n(.*?)```/s.exec(page) ?? [];
  const cwd = project();
  writeFileSync(join(cwd, "example.ts"), code);
  const { stdout, stderr } = spawnSync(process.execPath, ["example.ts"], { cwd, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toBe(output);
});
