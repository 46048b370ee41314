/** Every case recorded from the reference implementation gives the same result here. */

import { describe, expect, test } from "vitest";
import { defaultTemplateLimits, TemplateError } from "../../python/text.ts";
import { createEngine } from "../index.ts";
import { TemplateIndex } from "../index-file.ts";
import { checkSet } from "../install.ts";
import { createTextFsm } from "../machine.ts";
import { readTemplate } from "../template.ts";
import { communitySet, indexCases, type ParseCase, parseCases, setTemplate, tableCases } from "./corpus.ts";
import { context, kitWith } from "./support.ts";

function answer({ template, template_text: text, raw, eof }: ParseCase) {
  const machine = createTextFsm(readTemplate(text ?? setTemplate(template ?? "")), defaultTemplateLimits);
  return { header: machine.header, parse: () => machine.run(raw, eof) };
}

for (const name of ["ntc", "google", "crafted"] as const) {
  describe(name, () => {
    for (const example of parseCases(name)) {
      test(example.id, () => {
        if (!example.error) {
          const { header, parse } = answer(example);
          expect(header).toEqual(example.header);
          expect(parse()).toEqual(example.rows);
          return;
        }
        const refused = example.stage === "template" ? () => answer(example) : answer(example).parse;
        expect(refused).toThrow(TemplateError);
        // Messages of invalid regular expressions come from another Python version.
        if (!example.message?.startsWith("Invalid regular")) expect(refused).toThrow(example.message);
      });
    }
  });
}

describe("the template index finds the recorded template", () => {
  const index = new TemplateIndex(setTemplate("index"));
  for (const { id, platform, command, template } of indexCases()) {
    test(id, () => {
      expect(index.find(platform, command)?.templates ?? null).toBe(template);
    });
  }
});

describe("merged tables of several templates equal the recorded ones", () => {
  const engine = createEngine(kitWith(communitySet()));
  for (const { id, platform, command, raw, header, rows } of tableCases()) {
    test(id, () => {
      const keys = header.map((name) => name.toLowerCase());
      const records = rows.map((row) => Object.fromEntries(row.map((cell, column) => [keys[column], cell])));
      expect(engine.compile("", { platform, command }).run(raw, context)).toEqual(records);
    });
  }
});

test("every template and index entry of the community set compiles", () => {
  const report = checkSet(communitySet());
  expect(report.problems).toEqual([]);
  expect(report.templates).toBe(979);
});
