/** Claims of ARCHITECTURE.md about itself; `bun run check` verifies that the files it names exist. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { papers, pathsIn } from "../../scripts/house/papers.ts";

const architecture = readFileSync("ARCHITECTURE.md", "utf8");

function section(name: string): string {
  return architecture.split(`\n## ${name}\n`)[1]?.split("\n## ")[0] ?? "";
}

test('"The life of a request" names each file once, and only code', () => {
  const way = pathsIn(section("The life of a request"));
  expect(way.length).toBeGreaterThan(50);
  expect(way.filter((path, at) => way.indexOf(path) !== at)).toEqual([]);
  expect(way.filter((path) => !/^(src|plugins)\/.*\.ts$/.test(path))).toEqual([]);
});

test("each invariant in ARCHITECTURE.md names a test", () => {
  const rows = section("Invariants").match(/^\| (?!Invariant|---).*$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) expect(row).toMatch(/`test\/|`bun run check`/);
});

test.each(papers())("%s refers only to existing promises", (paper) => {
  const rows = readFileSync("docs/reference/promises.md", "utf8");
  const named = [...readFileSync(paper, "utf8").matchAll(/\bP\d{1,2}\b/g)].map(([name]) => name);
  expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(rows))).toEqual([]);
});

test("the glossary has at most forty terms in alphabetical order", () => {
  const rows = section("Glossary").matchAll(/^\| (?!Word )([^|-][^|]*?) \|/gm);
  const terms = [...rows].map((match) => match[1] ?? "");
  expect(terms.length).toBeGreaterThan(20);
  expect(terms.length).toBeLessThanOrEqual(40);
  expect(terms).toEqual([...terms].sort());
});
