/** A plugin that another account could modify is refused with a message, and not run. */
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { createLog } from "../../src/base/log.ts";
import { discover, findPlugins } from "../../src/registry/discover.ts";
import { whyNot } from "../../src/registry/trusted.ts";
import { temporary } from "../support/temporary.ts";

test("a plugin is refused by owner and mode of its file and folder", () => {
  const file = (uid: number, mode: number) => whyNot("/p/a.ts", { uid, mode }, 1_000);
  expect(file(1_000, 0o100644)).toBeUndefined();
  expect(file(0, 0o100644)).toBeUndefined();
  expect(file(1_000, 0o100664)).toBeUndefined();
  expect(file(1_000, 0o100666)).toContain("/p/a.ts is writable by every account");
  expect(file(1_001, 0o100644)).toContain("belongs to another account (uid 1001)");
  expect(file(0, 0o041777)).toBeUndefined();
  // On a file the sticky bit protects nothing, unlike on a folder such as /tmp.
  expect(file(1_001, 0o101755)).toContain("belongs to another account (uid 1001)");
  expect(file(1_000, 0o101666)).toContain("/p/a.ts is writable by every account");
  expect(whyNot("/p/a.ts", { uid: 5, mode: 0o100666 }, undefined)).toBeUndefined();
});

test("a refused plugin runs no code", async () => {
  const folder = temporary();
  const plugins = join(folder.path, "plugins");
  const ran = join(folder.path, "ran");
  const path = join(plugins, "bad.mjs");
  mkdirSync(plugins);
  writeFileSync(path, `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(ran)}, "");`);
  const load = async () => {
    const lines: string[] = [];
    const log = createLog({ level: "info", format: "json", write: (line) => lines.push(line) });
    await discover([], await findPlugins([plugins]), log);
    return lines.join("\n");
  };
  chmodSync(path, 0o666);
  expect(await load()).toContain("is writable by every account");
  chmodSync(path, 0o644);
  chmodSync(plugins, 0o777);
  expect(await load()).toContain("is writable by every account");
  chmodSync(plugins, 0o755);
  if (process.getuid?.() === 0) {
    chownSync(path, 65_534, 65_534);
    expect(await load()).toContain("belongs to another account (uid 65534)");
    chownSync(path, 0, 0);
  }
  expect(existsSync(ran)).toBe(false);
  await load();
  expect(existsSync(ran)).toBe(true);
  rmSync(ran);
  folder.remove();
});

test("a plugin is refused if another account could modify a module in its folder", async () => {
  const folder = temporary();
  const acme = join(folder.path, "plugins", "acme");
  mkdirSync(join(acme, "lib"), { recursive: true });
  const helper = join(acme, "lib", "helper.mjs");
  writeFileSync(join(acme, "index.js"), `import "./lib/helper.mjs";`);
  writeFileSync(helper, "globalThis.wasRun = true;");
  const load = async () => {
    const lines: string[] = [];
    const log = createLog({ level: "info", format: "json", write: (line) => lines.push(line) });
    await discover([], await findPlugins([join(folder.path, "plugins")]), log);
    return lines.join("\n");
  };
  chmodSync(helper, 0o666);
  expect(await load()).toContain(`${helper} is writable by every account`);
  chmodSync(helper, 0o644);
  chmodSync(join(acme, "lib"), 0o777);
  expect(await load()).toContain(`${join(acme, "lib")} is writable by every account`);
  expect(globalThis).not.toHaveProperty("wasRun");
  folder.remove();
});
