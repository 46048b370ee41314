/** Claims of ARCHITECTURE.md and the pages it links; `bun run check` verifies that the files they name exist. */
import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { papers, pathsIn } from "../../scripts/house/papers.ts";

const architecture = readFileSync("ARCHITECTURE.md", "utf8");

function section(name: string): string {
  return architecture.split(`\n## ${name}\n`)[1]?.split("\n## ")[0] ?? "";
}

test('"The life of a request" names each file once, and only code', () => {
  const way = pathsIn(section("The life of a request"));
  expect(way.length).toBeGreaterThan(40);
  expect(way.filter((path, at) => way.indexOf(path) !== at)).toEqual([]);
  expect(way.filter((path) => !/^(src|plugins)\/.*\.ts$/.test(path))).toEqual([]);
});

const recipes = [
  "endpoint",
  "field of a job",
  "field of a device",
  "setting",
  "table",
  "page of the console",
  "command",
  "platform",
  "driver",
  "inventory format",
];

test("ARCHITECTURE.md is short, and has the recipes", () => {
  expect(statSync("ARCHITECTURE.md").size).toBeLessThanOrEqual(15 * 1024);
  const titles = [...section("Recipes").matchAll(/^\*\*An? ([^*]+)\*\* \(\d+\):/gm)].map(
    ([, title]) => title,
  );
  expect(titles).toEqual(recipes);
});

test("the features to find are in alphabetical order", () => {
  const rows = [...section("Where to find").matchAll(/^\| (?!Feature|---)([^|]+) \|/gm)].map(
    ([, name = ""]) => name,
  );
  expect(rows.length).toBeGreaterThan(30);
  const features = rows.slice(0, rows.indexOf("wiring of it all"));
  expect(features).toEqual(features.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
});

test("each invariant names a test", () => {
  const rows =
    readFileSync("docs/background/invariants.md", "utf8").match(/^\| (?!Invariant|---).*$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(row).toMatch(/`test\/|`bun run check`/);
});

test.each(papers())("%s refers only to existing promises", (paper) => {
  const rows = readFileSync("docs/reference/promises.md", "utf8");
  const named = [...readFileSync(paper, "utf8").matchAll(/\bP\d{1,2}\b/g)].map(([name]) => name);
  expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(rows))).toEqual([]);
});

test("the glossary has at most forty terms in alphabetical order", () => {
  const rows = readFileSync("docs/reference/glossary.md", "utf8").matchAll(/^\| (?!Word )([^|-][^|]*?) \|/gm);
  const terms = [...rows].map((match) => match[1] ?? "");
  expect(terms.length).toBeGreaterThan(20);
  expect(terms.length).toBeLessThanOrEqual(40);
  expect(terms).toEqual([...terms].sort());
});
