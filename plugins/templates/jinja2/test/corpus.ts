/** The recorded Jinja2 cases beside the checkout. */

import { readFileSync } from "node:fs";
import * as v from "valibot";
import { shared } from "../../../../scripts/testbed/shared.ts";
import { rawMember } from "../../../../src/base/json/json.ts";
import type { TemplateEngine } from "../../python/index.ts";
import plugin from "../plugin.ts";
import { ctx } from "./support.ts";

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
    readFileSync(shared("corpora/jinja2", file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => ({
        ...v.parse(caseSchema, JSON.parse(line)),
        // The raw text, because key order and number types matter.
        contextJson: rawMember(line, ["context"]) ?? "{}",
      })),
  );
}

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
