/** README is short and has its picture; the index of docs is complete. */
import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { papers, pathsIn } from "../../scripts/house/papers.ts";

const page = readFileSync("README.md", "utf8");

test("README has at most 1,200 words", () => {
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(1_200);
});

test("README has a small picture", () => {
  const [, picture = ""] = /!\[[^\]]+\]\(([^)]+)\)/.exec(page) ?? [];
  expect(statSync(picture).size).toBeLessThan(200 * 1024);
});

test("README gives the test's commands as CI runs them", () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync("package.json", "utf8"));
  const shown = [...page.matchAll(/^\$ npx -y bun run (\S+)/gm)].map(([, name = ""]) => name);
  expect(shown).toEqual(["demo", "start", "test", "test", "test", "check"]);
  for (const name of shown) expect(scripts).toHaveProperty(name);
});

test("the index of docs links every page", () => {
  const index = readFileSync("docs/README.md", "utf8");
  const pages = papers().filter((paper) => paper.startsWith("docs/") && paper !== "docs/README.md");
  const missing = pages.filter(
    (paper) => !paper.includes("/decisions/0") && !index.includes(`(${paper.slice("docs/".length)})`),
  );
  expect(missing).toEqual([]);
  expect(pathsIn(index)).toEqual([]);
});
