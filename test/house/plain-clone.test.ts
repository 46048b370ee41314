/**
 * A plain clone, with nothing beside it, is tested too: only files named `*.corpus.test.ts` need the recorded
 * material, and without it they are left out, counted and named.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { isTest, readSources, withoutComments } from "../../scripts/house/source.ts";
import { hasShared } from "../../scripts/testbed/shared.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { alone, mocking, sharing, waiting } from "../support/kinds.ts";

const gate = "scripts/testbed/shared.ts";
/** They read the gate to leave tests out, not to use the material. */
const gatekeepers = [gate, "scripts/test.ts", "test/support/kinds.ts", "test/house/plain-clone.test.ts"];
const sources = new Map(readSources(["src", "plugins", "scripts", "test"]).map((one) => [one.path, one]));
const testFiles = [...sources.keys()].filter((path) => path.endsWith(".test.ts")).sort();
const needsMaterial = (path: string) => path.endsWith(".corpus.test.ts");

/** Files that reach the gate through their imports. */
const reaching = new Set([gate]);
const importers = new Map<string, string[]>();
for (const { path, files } of sources.values())
  for (const file of files) importers.set(file, [...(importers.get(file) ?? []), path]);
// Also visits what is added on the way.
for (const path of reaching)
  for (const user of importers.get(path) ?? []) if (!gatekeepers.includes(user)) reaching.add(user);

test("only tests named so use the recorded material", () => {
  const users = testFiles.filter((path) => reaching.has(path));
  expect(users).toEqual(testFiles.filter(needsMaterial));
  expect(users.length).toBeGreaterThan(10);
});

test("nothing but the gate names the folder beside the checkout", () => {
  const ours = [...sources.values()].filter(({ path }) => isTest(path) || path.startsWith("scripts/"));
  const named = ours.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(/["'`]((?:\.\.\/)+shared)\b/g)]
      // Several folders of the project have this name too.
      .filter(([, folder = ""]) => !existsSync(join(dirname(path), folder)) || !isWithin(path, folder))
      .map(() => path),
  );
  expect(named).toEqual([gate]);
});

const isWithin = (path: string, folder: string) => !join(dirname(path), folder).startsWith("..");

/** This checkout without what git ignores, and with nothing beside it. */
function copyOfCheckout(): string {
  const copy = join(tempFolder(), "checkout");
  mkdirSync(copy);
  for (const name of readdirSync(".").filter(
    (one) => !/^(?:\.git|node_modules|data|dist|.*\.bun-build)$/.test(one),
  ))
    cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Some tests of every part that once needed the material, fast enough to run twice: of TextFSM those of its starters. */
const examples = [
  "test/bench/speed.test.ts",
  "test/drivers/napalm/ios/variants.test.ts",
  "test/drivers/napalm/junos/as-napalm.test.ts",
  "plugins/templates/textfsm/test/starter",
  "plugins/templates/ttp/test/install.test.ts",
];

test("a copy with nothing beside it is green, and says what it leaves out", () => {
  const cwd = copyOfCheckout();
  const own = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST_|CI$)/.test(name));
  const run = (args: readonly string[]) =>
    spawnSync(process.execPath, args, { cwd, encoding: "utf8", env: Object.fromEntries(own) });
  const { status, stdout, stderr } = run(["scripts/test.ts", "--times", ...examples]);
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^ +[\d.]+ .* test\/bench\/speed\.test\.ts$/m);
  expect(stdout).toMatch(/ all \d+ files$/m);
  const leftOut = testFiles.filter(needsMaterial);
  const line = stdout.split("\n").find((one) => one.startsWith("left out: "));
  expect(line).toContain(`left out: ${leftOut.length} test files`);
  expect(line?.split(": ").at(-1)?.split(", ")).toEqual(leftOut);
  const listed = run([
    ...["--bun", "node_modules/vitest/vitest.mjs", "list", "--filesOnly"],
    ...["--config", "test/vitest.config.ts"],
  ]);
  const files = filesIn(listed.stdout);
  expect(files.sort()).toEqual(testFiles.filter((path) => !needsMaterial(path)));
});

// The list of the copy shows that Vitest takes the files of `kinds.ts`, and no others.
test("where the material is, no test is left out", () => {
  const files = [...sharing, ...waiting, ...alone, ...mocking];
  expect(files.sort()).toEqual(testFiles.filter((path) => hasShared || !needsMaterial(path)));
});

/** Vitest puts the name of the project before each. */
function filesIn(list: string): string[] {
  return [...list.matchAll(/^(?:\[\w+\] )?((?:test|plugins)\/.*\.test\.ts)$/gm)].map(
    (match) => match[1] ?? "",
  );
}
