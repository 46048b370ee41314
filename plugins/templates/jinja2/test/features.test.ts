/**
 * Every filter, test, global, tag and option has a case of our own making (features.json). The results are those of
 * Python's Jinja2, filled in by features.py, except for Ansible's features, marked `ours`.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { TemplateError } from "../../python/index.ts";
import { argsSchema } from "../args.ts";
import { allFilters, allTests } from "../filters/index.ts";
import { globals } from "../run/globals.ts";
import { createTestEngine, ctx } from "./support.ts";

const cases = v.record(
  v.string(),
  v.array(
    v.strictObject({
      source: v.string(),
      context: v.optional(v.record(v.string(), v.unknown()), {}),
      args: v.optional(argsSchema, {}),
      ours: v.optional(v.boolean()),
      result: v.optional(v.string()),
      error: v.optional(v.string()),
    }),
  ),
);
const featuresSchema = v.strictObject({
  filters: cases,
  tests: cases,
  globals: cases,
  statements: cases,
  options: cases,
});
const features = v.parse(
  featuresSchema,
  JSON.parse(readFileSync(join(import.meta.dirname, "features.json"), "utf8")),
);
const engine = createTestEngine();

describe.each(Object.entries(features))("the case of each of the %s", (_kind, byName) => {
  test.each(Object.entries(byName))("%s", (_name, all) => {
    for (const { source, context, args, result, error } of all) {
      const render = () => engine.compile(source, args).run(JSON.stringify(context), ctx);
      if (error === undefined) expect([source, render()]).toEqual([source, result]);
      else expect(render, source).toThrow(TemplateError);
    }
  });
});

/** Ansible's filters and tests: expressions with results of the reference, and the examples of the page. */
const ansible = readdirSync(join(import.meta.dirname, "recorded"))
  .filter((name) => name.endsWith(".json"))
  .map((name) => readFileSync(join(import.meta.dirname, "recorded", name), "utf8"))
  .concat(readFileSync("docs/reference/templates-jinja2.md", "utf8").replaceAll("\\|", "|"))
  .join("\n");

const uncovered = (names: Iterable<string>, own: object, used: (name: string) => RegExp) =>
  [...names]
    .filter((name) => !/\w\.\w/.test(name))
    .filter((name) => !Object.hasOwn(own, name) && !used(name).test(ansible));

test("no filter, test, global or option is without a case", () => {
  const never = () => /(?!)/;
  expect(uncovered(allFilters.keys(), features.filters, (name) => RegExp(`\\| ?${name}\\b`))).toEqual([]);
  expect(uncovered(allTests.keys(), features.tests, (name) => RegExp(`\\bis (?:not )?${name}\\b`))).toEqual(
    [],
  );
  expect(uncovered(globals.keys(), features.globals, never)).toEqual([]);
  expect(uncovered(Object.keys(argsSchema.entries), features.options, never)).toEqual([]);
});

test("no tag is without a case", () => {
  const parser = readFileSync("plugins/templates/jinja2/syntax/parse-statement.ts", "utf8");
  const tags = [...parser.matchAll(/^ {4}\["(\w+)", |\btags\.set\("(\w+)"/gm)].map(
    ([, first, second]) => first ?? second ?? "",
  );
  expect(tags.length).toBeGreaterThan(15);
  expect(tags.filter((tag) => !Object.hasOwn(features.statements, tag))).toEqual([]);
});
