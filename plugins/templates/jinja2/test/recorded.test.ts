/** Ansible's filters and tests return what recorded/record.py recorded from the reference. */

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as v from "valibot";
import { expect, test } from "vitest";
import { rawMember } from "../../../../src/base/json/json.ts";
import { TemplateError } from "../../python/index.ts";
import { createTestEngine, ctx } from "./support.ts";

const folder = resolve(import.meta.dirname, "recorded");
const recorded = v.object({
  context: v.record(v.string(), v.unknown()),
  cases: v.array(v.tuple([v.string(), v.union([v.string(), v.object({ error: v.string() })])])),
});

/** The text, or the error as `{error}`. */
function answer(expression: string, contextJson: string): unknown {
  try {
    return createTestEngine()
      .compile(`{{ [${expression}] }}`, { keep_trailing_newline: true })
      .run(contextJson, ctx);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { error: error.kind };
  }
}

const files = readdirSync(folder).filter((name) => name.endsWith(".json"));

test.each(files)("%s has the recorded results of the reference", (file) => {
  const text = readFileSync(resolve(folder, file), "utf8");
  const { cases } = v.parse(recorded, JSON.parse(text));
  const contextJson = rawMember(text, ["context"]) ?? "{}";
  const differing: unknown[] = [];
  for (const [expression, expected] of cases) {
    const result = answer(expression, contextJson);
    const same = typeof expected === "string" ? result === expected : typeof result === "object";
    if (!same) differing.push({ expression, expected, given: result });
  }
  expect(differing).toEqual([]);
});
