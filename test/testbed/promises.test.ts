/** docs/promises.md names only what is there. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("every test and script that proves a promise is there", () => {
  const page = readFileSync("docs/promises.md", "utf8");
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  const files = [...page.matchAll(/\btest\/[\w./-]+\.ts\b/g)].map(([file]) => file);
  const runs = [...page.matchAll(/`bun run ([\w:]+)/g)].map(([, name]) => name ?? "");
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !existsSync(file) && file !== "test/vitest.config.ts")).toEqual([]);
  expect(runs.filter((name) => scripts[name] === undefined)).toEqual([]);
});
