/** Runs the cases of the Jinja2 corpus in process; fails if the corpus is missing. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as v from "valibot";
import createEngine from "../../../plugins/templates/jinja2/engine.ts";
import plugin from "../../../plugins/templates/jinja2/plugin.ts";
import { rawMember } from "../../../src/base/json.ts";
import { silentLog } from "../../../src/base/log.ts";
import { quietContext } from "../../../src/plugin/quiet-context.ts";
import { defaultTemplateLimits, type TemplateEngine } from "../../../src/plugin/template-engine.ts";

const root = resolve(import.meta.dirname, "../../../../shared/corpora/jinja2");

const caseSchema = v.object({
  id: v.string(),
  source: v.string(),
  env: v.record(v.string(), v.unknown()),
  templates: v.optional(v.record(v.string(), v.string())),
  name: v.optional(v.string()),
  globals: v.optional(v.record(v.string(), v.unknown())),
  expected: v.optional(v.string()),
  error: v.optional(v.string()),
});
type Case = v.InferOutput<typeof caseSchema> & { contextJson: string };

export function readCases(): Case[] {
  return ["cases.jllib.jsonl", "cases.network.jsonl"].flatMap((file) =>
    readFileSync(resolve(root, file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => ({
        ...v.parse(caseSchema, JSON.parse(line)),
        // The raw text, because key order and number types matter.
        contextJson: rawMember(line, ["context"]) ?? "{}",
      })),
  );
}

export function createTestEngine(): TemplateEngine {
  return createEngine({
    log: silentLog,
    settings: {},
    limits: defaultTemplateLimits,
    readTemplate: () => undefined,
    library: () => ({ installed: false, list: () => [], read: () => undefined }),
  });
}

export const ctx = quietContext({ remaining: () => 60_000 });

/** @returns why the case fails; undefined if it passes. */
export async function judge(engine: TemplateEngine, one: Case): Promise<string | undefined> {
  try {
    const given = {
      // The cases have no extensions by default.
      extensions: [],
      ...one.env,
      ...(one.templates ? { templates: one.templates } : {}),
      ...(one.globals ? { globals: one.globals } : {}),
      ...(one.name ? { name: one.name } : {}),
    };
    const checked = await plugin.args["~standard"].validate(given);
    if (checked.issues !== undefined) throw new Error(checked.issues[0]?.message ?? "arguments");
    const text = engine.compile(one.source, checked.value).run(one.contextJson, ctx);
    if (one.error !== undefined) return "no error";
    return text === one.expected ? undefined : `gave ${JSON.stringify(text).slice(0, 80)}`;
  } catch (error) {
    if (one.error !== undefined) return undefined;
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
