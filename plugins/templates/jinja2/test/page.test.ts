/** docs/reference/templates-jinja2.md names every filter, test and global, and its examples give the stated results. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { argsSchema } from "../args.ts";
import { allFilters, allTests } from "../filters/index.ts";
import { globals } from "../run/globals.ts";
import { createTestEngine, ctx } from "./support.ts";

const page = readFileSync(
  resolve(import.meta.dirname, "../../../../docs/reference/templates-jinja2.md"),
  "utf8",
);

const names = [
  ...[...allFilters.keys()].filter((name) => !name.includes(".")),
  ...[...allTests.keys()].filter((name) => !name.includes(".")),
  ...globals.keys(),
  ...Object.keys(argsSchema.entries),
];

test("templates-jinja2.md names every filter, test and global", () => {
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

const ROW = /^\| `([a-z0-9_]+)` \| `([^`]+)` \| `([^`]*)` \|$/;
const examples = page.split("\n").flatMap((line) => {
  const [, name, source, result] = ROW.exec(line) ?? [];
  if (name === undefined || source === undefined || result === undefined) return [];
  return [{ name, source: source.replaceAll("\\|", "|"), result: result.replaceAll("\\|", "|") }];
});

function render(source: string): unknown {
  return createTestEngine().compile(`{{ ${source} }}`, {}).run("{}", ctx);
}

test("every example in templates-jinja2.md has the stated result", () => {
  expect(examples.length).toBeGreaterThan(70);
  const wrong = examples.filter(({ source, result }) => render(source) !== result);
  expect(wrong).toEqual([]);
});

test("every example in templates-jinja2.md uses the filter it documents", () => {
  expect(examples.filter(({ name, source }) => !source.includes(name))).toEqual([]);
});

const QUERIES = page.slice(page.indexOf("| Query | Of"), page.indexOf("`hwaddr` and `macaddr` write"));
const words = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);

/** Rows whose results are plain values; a single value applies to all queries of its row. */
const queries = QUERIES.split("\n").flatMap((line) => {
  const [, queryCell = "", answers = ""] =
    /^\| ((?:none, )?(?:`[^`]+`(?:, )?)+) \| ((?:`[^`]+`(?:, )?)+) \|$/.exec(line) ?? [];
  const listed = words(answers);
  return words(queryCell).map((query, i) => ({ query, answer: listed.length === 1 ? listed[0] : listed[i] }));
});

test("the ipaddr queries in templates-jinja2.md have the stated results", () => {
  expect(queries.length).toBeGreaterThan(30);
  const wrong = queries.filter(
    ({ query, answer }) => render(`'192.0.2.7/24' | ipaddr('${query}')`) !== answer,
  );
  expect(wrong).toEqual([]);
});
