/** The demo in a fresh checkout: it installs what it runs with, compiles nothing, and works with that alone. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tempFolder } from "../../../src/testkit/service.ts";

const parts = ["package.json", "bun.lock", "bunfig.toml", "tsconfig.json", "scripts/run.mjs"];
const folders = ["src", "plugins", "migrations"];
const compilers = ["node-gyp", "make", "cmake", "cc", "c++", "gcc", "g++", "clang", "python3", "cargo"];
const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));

let checkout: string;
beforeEach(() => {
  checkout = tempFolder("patchbay-checkout-");
  for (const part of [...parts, ...folders]) cpSync(part, join(checkout, part), { recursive: true });
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

test("installs no development package, compiles nothing, and runs the tour", () => {
  const done = runDemo();
  expect(done.stderr).toMatch(/^Installing the packages that Patchbay runs with .*\n$/);
  expect(done.status, done.stdout).toBe(0);
  expect(done.stdout).toContain('"hostname": "SW1"');
  expect(existsSync(join(checkout, "compiled")), "a compiler was started").toBe(false);

  const installed = namesIn(join(checkout, "node_modules"));
  expect(installed).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  const brought = new Set(
    Object.keys(dependencies).flatMap((name) => dependenciesOf(join(checkout, "node_modules", name))),
  );
  const forDevelopment = Object.keys(devDependencies).filter((name) => installed.includes(name));
  expect(forDevelopment.filter((name) => !brought.has(name))).toEqual([]);
  // Native libraries come as they are, of the store and for the console's scripts; ssh2 and cpu-features would compile theirs.
  const native = filesIn(join(checkout, "node_modules")).filter((path) => path.endsWith(".node"));
  expect(native.filter((path) => !/\/@(?:libsql|oxc-minify)\//.test(path))).toEqual([]);

  // A second time nothing is installed.
  expect(runDemo()).toMatchObject({ stderr: "", status: 0 });
});

/** Tests may use what another package needs anyway. */
function dependenciesOf(folder: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.keys(dependencies);
}

/** With programs in front of the path that tell of a compilation. */
function runDemo() {
  const traps = join(checkout, "traps");
  mkdirSync(traps, { recursive: true });
  for (const name of compilers) {
    writeFileSync(join(traps, name), `#!/bin/sh\necho ${name} >> ${join(checkout, "compiled")}\nexit 1\n`);
    chmodSync(join(traps, name), 0o755);
  }
  return spawnSync("node", ["scripts/run.mjs", "src/main.ts", "demo", "--once"], {
    cwd: checkout,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: `${traps}:${process.env.PATH}`,
      // The pinned Bun, as below npx.
      npm_execpath: process.execPath,
    },
  });
}

function namesIn(modules: string): string[] {
  return readdirSync(modules).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((below) => `${name}/${below}`) : [name],
  );
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
