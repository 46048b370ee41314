/** Everything that docs/reference/promises.md names exists: test files, scripts, sections. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { scripts } from "../../package.json";

const page = readFileSync("docs/reference/promises.md", "utf8");
const rows = page.split("\n").filter((line) => /^\| P\d+ \|/.test(line));

test("every row of promises.md has its own number and names what proves it", () => {
  expect(rows.length).toBeGreaterThan(20);
  const numbers = rows.map((row) => row.split("|")[1]?.trim());
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const row of rows) expect(row, row).toMatch(/`(T (?:test|plugins)\/|bun run )/);
});

test("every file named in promises.md exists", () => {
  const files = page.match(/(?<![\w/])(?:test|plugins|scripts)\/[\w./-]+\.ts\b/g) ?? [];
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) expect(existsSync(file), file).toBe(true);
});

test("every script named in promises.md is in package.json", () => {
  const names = [...page.matchAll(/`bun run ([\w:-]+)/g)].map((match) => match[1] ?? "");
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) expect(Object.keys(scripts)).toContain(name);
});

test("promises.md has no placeholders", () => {
  expect(page).not.toMatch(/\b(?:TODO|SOAK|TBD)\b/);
});
