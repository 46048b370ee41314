/** docs/reference/templates-ttp.md names everything that templates can use, and its examples give the stated results. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as v from "valibot";
import { expect, test } from "vitest";
import { ttpArgs } from "../args.ts";
import { createLoadedEngine as createEngine } from "../engine.ts";
import { getters } from "../functions/getters.ts";
import { groupFunctions } from "../functions/group/index.ts";
import { matchFunctions } from "../functions/match/index.ts";
import { outputFunctions } from "../outputs/functions.ts";
import { patterns } from "../template/patterns.ts";
import { context, kitOf } from "./support.ts";

const page = readFileSync(
  resolve(import.meta.dirname, "../../../../docs/reference/templates-ttp.md"),
  "utf8",
);
const engine = createEngine(kitOf());

function section(title: string): string {
  const from = page.indexOf(`\n## ${title}\n`);
  expect(from, title).toBeGreaterThan(0);
  const to = page.indexOf("\n## ", from + 4);
  return page.slice(from, to < 0 ? undefined : to);
}

/** Named in backticks, alone or with its arguments. */
const missing = (names: Iterable<string>, text: string): string[] =>
  [...names].filter((name) => !text.includes(`\`${name}\``) && !text.includes(`\`${name}(`));

test("templates-ttp.md names every function in its section", () => {
  expect(missing(matchFunctions.keys(), section("Functions of match variables"))).toEqual([]);
  expect(missing(groupFunctions.keys(), section("Groups"))).toEqual([]);
  expect(missing(outputFunctions.keys(), section("Outputs"))).toEqual([]);
  expect(missing(patterns.keys(), section("Lines"))).toEqual([]);
  expect(missing(getters.keys(), section("Variables"))).toEqual([]);
  expect(missing(Object.keys(ttpArgs.entries), section("Arguments"))).toEqual([]);
});

const ROW = /^\| `([a-z_0-9]+)` \| `([^`]+)` \| `([^`]+)` \| (?:`([^`]*)` )?\|$/;
const examples = page.split("\n").flatMap((line) => {
  const [, name, text, functions, value] = ROW.exec(line) ?? [];
  if (name === undefined || text === undefined || functions === undefined) return [];
  return [{ name, text, functions: functions.replaceAll("\\|", "|"), value: value ?? "nothing" }];
});

test("every example in templates-ttp.md has the stated result", () => {
  expect(examples.length).toBeGreaterThan(35);
  const computed = examples.map(({ name, text, functions }) => {
    const template = `<group>\nx {{ v | ${functions} }}\n</group>`;
    const json = engine.compile(template, v.parse(ttpArgs, {})).runJson?.(`x ${text}\n`, context) ?? "";
    const [, value = "nothing"] = /^\[\{"v":(.*)\}\]$/.exec(json) ?? [];
    return { name, text, functions, value };
  });
  expect(computed).toEqual(examples);
  expect(examples.filter(({ name, functions }) => !functions.includes(name))).toEqual([]);
});

/** Names in backticks in a row of the macro table. */
function macroNames(row: string): string[] {
  const line =
    section("Macros")
      .split("\n")
      .find((one) => one.startsWith(`| ${row} |`)) ?? "";
  return [...line.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

function macro(body: string): unknown {
  const template = `<macro>\n${body}\n</macro>\n<group>\nx {{ v | macro("f") }}\n</group>`;
  return engine.compile(template, v.parse(ttpArgs, {})).run("x 1\n", context);
}

test("all modules and built-ins that templates-ttp.md lists for macros exist", () => {
  expect(macroNames("Modules").length).toBeGreaterThan(10);
  for (const name of macroNames("Modules"))
    expect(macro(`import ${name}\ndef f(data):\n    return "${name}"`)).toEqual([{ v: name }]);
  expect(macroNames("Built-in").length).toBeGreaterThan(35);
  for (const name of macroNames("Built-in"))
    expect(macro(`def f(data):\n    return str(callable(${name}))`), name).toEqual([{ v: "True" }]);
});

test("statements that templates-ttp.md excludes from macros are rejected by name", () => {
  const refused = [
    "class A:\n    pass",
    "with a:\n    pass",
    "async def a():\n    pass",
    "@a\ndef b():\n    pass",
    "def a():\n    yield 1",
  ];
  for (const source of refused) expect(() => macro(source)).toThrow(/not supported in macros/);
  expect(() => macro("import os\ndef f(data):\n    return 1")).toThrow(/os/);
});
