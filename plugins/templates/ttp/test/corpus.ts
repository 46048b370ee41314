/** The recorded TTP cases beside the checkout, and those of the templates that TTP has built in. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as v from "valibot";
import { shared } from "../../../../scripts/testbed/shared.ts";
import type { TemplateEngine, TemplateLibrary } from "../../python/index.ts";
import { type Case, caseSchema } from "./run-case.ts";
import { runEngine } from "./support.ts";

const builtinSchema = v.object({
  id: v.string(),
  kind: v.string(),
  template_path: v.string(),
  platform: v.optional(v.string()),
  command: v.optional(v.string()),
  get: v.optional(v.string()),
  misc: v.optional(v.string()),
  yang: v.optional(v.string()),
  raw: v.string(),
  vars: v.optional(v.record(v.string(), v.unknown())),
  structure: v.string(),
  expected: v.unknown(),
  expected_dictionary: v.optional(v.unknown()),
  expected_without_output_macro: v.optional(v.unknown()),
  features: v.array(v.string()),
  skip: v.optional(v.boolean()),
});
export type BuiltinCase = v.InferOutput<typeof builtinSchema>;

export function lines(name: string): unknown[] {
  return readFileSync(shared("corpora/ttp", name), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

export const readCases = (): Case[] => lines("cases.jsonl").map((one) => v.parse(caseSchema, one));
export const readBuiltinCases = (): BuiltinCase[] =>
  lines("cases.builtin.jsonl").map((one) => v.parse(builtinSchema, one));

/** The folder of the templates that TTP has built in. */
export const builtinFolder = () => shared("corpora/ttp/ttp_templates");

/** A library backed by the corpus's template set. */
export const corpusLibrary: TemplateLibrary = {
  installed: true,
  list() {
    const folder = builtinFolder();
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .sort();
  },
  read(path) {
    const file = join(builtinFolder(), path);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  },
};

/** @returns the engine's result for the case in the given structure. */
export function runBuiltin(one: BuiltinCase, engine: TemplateEngine, structure: string): unknown {
  const { platform, command, get, misc, yang, vars } = one;
  return runEngine(engine, "", one.raw, { platform, command, get, misc, yang, vars, structure });
}

const OUTPUT_MACRO = /<(output|out|o)\s[^>]*macro\s*=[^>]*?(?:\/>|>[\s\S]*?<\/\1>)/g;

/** The corpus's set, without the output macros of its templates. */
export const withoutOutputMacros: TemplateLibrary = {
  ...corpusLibrary,
  read: (path) => corpusLibrary.read(path)?.replace(OUTPUT_MACRO, ""),
};
