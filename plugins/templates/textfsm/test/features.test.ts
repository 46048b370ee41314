/**
 * Every option, operator and error of TextFSM has a case of our own making (features.json), with the result of the
 * reference, filled in by features.py.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { defaultTemplateLimits, TemplateError } from "../../python/text.ts";
import { createTextFsm } from "../machine.ts";
import { reservedNames } from "../rule.ts";
import { readTemplate } from "../template.ts";
import { optionNames } from "../value.ts";

const caseSchema = v.strictObject({
  template: v.string(),
  text: v.string(),
  ours: v.optional(v.boolean()),
  eof: v.optional(v.boolean(), true),
  header: v.optional(v.array(v.string())),
  rows: v.optional(v.array(v.array(v.unknown()))),
  error: v.optional(v.string()),
});
const features = v.parse(
  v.record(v.string(), v.record(v.string(), v.array(caseSchema))),
  JSON.parse(readFileSync(join(import.meta.dirname, "features.json"), "utf8")),
);

function parse({ template, text, eof }: v.InferOutput<typeof caseSchema>) {
  const machine = createTextFsm(readTemplate(template), defaultTemplateLimits);
  return { header: machine.header, rows: machine.run(text, eof) };
}

/** The words of an expression's error come from Python's release, and ours may end with a suggestion. */
const comparable = (message: string) =>
  message.replace(/(Invalid regular expression: '.*'\. Line: \d+\.).*/s, "$1");

describe.each(Object.entries(features))("%s", (_kind, byName) => {
  test.each(Object.entries(byName))("%s", (_name, all) => {
    for (const one of all) {
      const { template, header, rows, error } = one;
      if (error === undefined) {
        expect({ template, ...parse(one) }).toEqual({ template, header, rows });
        continue;
      }
      expect(() => parse(one), template).toThrow(TemplateError);
      expect(() => parse(one), template).toThrow(comparable(error));
    }
  });
});

test("no option, operator or error is without a case", () => {
  const names = ["options", "line operators", "record operators"].flatMap((kind) =>
    Object.keys(features[kind] ?? {}),
  );
  expect([...optionNames, ...reservedNames].filter((name) => !names.includes(name))).toEqual([]);
  const errors = Object.values(features)
    .flatMap((byName) => Object.values(byName).flat())
    .flatMap(({ error = [] }) => error);
  const messages = ["value.ts", "rule.ts", "template.ts"].flatMap((file) =>
    [
      ...readFileSync(`plugins/templates/textfsm/${file}`, "utf8").matchAll(
        /(?:refuse|LineError)\(\s*["`]([^"`$]+)/g,
      ),
    ].map(([, message = ""]) => message),
  );
  expect(messages.length).toBeGreaterThan(12);
  expect(messages.filter((message) => !errors.some((error) => error.startsWith(message)))).toEqual([]);
});
