/** Every function, pattern, indicator, tag, format and argument of TTP has a case of our own making (features.json). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { TemplateError } from "../../python/index.ts";
import { ttpArgs } from "../args.ts";
import { createLoadedEngine as createEngine } from "../engine.ts";
import { getters } from "../functions/getters.ts";
import { groupFunctions } from "../functions/group/index.ts";
import { inputFunctions } from "../functions/inputs.ts";
import { matchFunctions } from "../functions/match/index.ts";
import { outputFunctions } from "../outputs/functions.ts";
import { INDICATORS } from "../template/function-names.ts";
import { patterns } from "../template/patterns.ts";
import { kitOf, runEngine } from "./support.ts";

const caseSchema = v.strictObject({
  template: v.string(),
  text: v.string(),
  args: v.optional(ttpArgs),
  files: v.optional(v.record(v.string(), v.string()), {}),
  /** Of the template; with `strict`, a service rejects it. */
  warnings: v.optional(v.array(v.string())),
  /** The result depends on the time. */
  changes: v.optional(v.boolean(), false),
  result: v.optional(v.unknown()),
  error: v.optional(v.string()),
});
const features = v.parse(
  v.record(v.string(), v.record(v.string(), v.array(caseSchema))),
  JSON.parse(readFileSync(join(import.meta.dirname, "features.json"), "utf8")),
);

function parse({ template, text, args, files, warnings }: v.InferOutput<typeof caseSchema>): unknown {
  const engine = createEngine(kitOf({ readTemplate: (name) => files[name] }));
  if (warnings !== undefined) expect(engine.compile(template, args).warnings).toEqual(warnings);
  return runEngine(engine, template, text, args);
}

describe.each(Object.entries(features))("%s", (_kind, byName) => {
  test.each(Object.entries(byName))("%s", (_name, all) => {
    for (const one of all) {
      const { template, result, error, changes } = one;
      if (error !== undefined) {
        expect(() => parse(one), template).toThrow(TemplateError);
        expect(() => parse(one), template).toThrow(error);
      } else if (changes) expect([template, parse(one)]).toEqual([template, expect.any(Array)]);
      else expect([template, parse(one)]).toEqual([template, result]);
    }
  });
});

const kinds: Readonly<Record<string, Iterable<string>>> = {
  "match functions": matchFunctions.keys(),
  patterns: patterns.keys(),
  "group functions": groupFunctions.keys(),
  "output functions": outputFunctions.keys(),
  "variable getters": getters.keys(),
  arguments: Object.keys(ttpArgs.entries),
};

test.each(Object.entries(kinds))("none of the %s is without a case", (kind, names) => {
  expect([...names].filter((name) => !Object.hasOwn(features[kind] ?? {}, name))).toEqual([]);
});

test("no indicator, output format, loader or function of inputs is without a case", () => {
  const named = new Set(Object.values(features).flatMap((byName) => Object.keys(byName)));
  expect(INDICATORS.filter((name) => !named.has(name))).toEqual([]);
  const formats = readFileSync("plugins/templates/ttp/formatters/index.ts", "utf8");
  const formatNames = [...formats.matchAll(/^ {4}case "(\w+)":/gm)].map(([, name = ""]) => name);
  expect(formatNames.length).toBeGreaterThan(6);
  expect(formatNames.filter((name) => !Object.hasOwn(features["output formats"] ?? {}, name))).toEqual([]);
  const templates = Object.values(features.tags ?? {})
    .flat()
    .map(({ template }) => template)
    .join("\n");
  expect([...inputFunctions.keys()].filter((name) => !templates.includes(` ${name}="`))).toEqual([]);
  for (const load of ["python", "yaml", "json", "ini", "csv", "text"])
    expect(templates).toContain(`load="${load}"`);
});
