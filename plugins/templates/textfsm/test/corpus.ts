/** The recorded TextFSM cases beside the checkout, and the community's templates. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { shared } from "../../../../scripts/testbed/shared.ts";
import type { TemplateLibrary } from "../../python/text.ts";

/** The folder of the community's templates. */
export const communityFolder = () => shared("corpora/textfsm/ntc_templates");

const parseCase = v.object({
  id: v.string(),
  template: v.optional(v.string()),
  template_text: v.optional(v.string()),
  raw: v.string(),
  eof: v.optional(v.boolean(), true),
  header: v.optional(v.array(v.string()), []),
  rows: v.optional(v.array(v.array(v.unknown())), []),
  error: v.optional(v.boolean(), false),
  stage: v.optional(v.string()),
  message: v.optional(v.string()),
});
const indexCase = v.object({
  id: v.string(),
  platform: v.string(),
  command: v.string(),
  template: v.nullable(v.string()),
});
const tableCase = v.object({ ...parseCase.entries, platform: v.string(), command: v.string() });

export type ParseCase = v.InferOutput<typeof parseCase>;

function readCases<S extends v.GenericSchema>(schema: S, name: string): v.InferOutput<S>[] {
  const lines = readFileSync(shared("corpora/textfsm", name), "utf8").trimEnd().split("\n");
  return lines.map((line) => v.parse(schema, JSON.parse(line)));
}

export const parseCases = (name: "ntc" | "google" | "crafted") => readCases(parseCase, `cases.${name}.jsonl`);
export const indexCases = () => readCases(indexCase, "cases.index.jsonl");
export const tableCases = () => readCases(tableCase, "cases.clitable.jsonl");

export const setTemplate = (name: string): string => readFileSync(join(communityFolder(), name), "utf8");

export function communitySet(): TemplateLibrary {
  const files = readdirSync(communityFolder()).sort();
  return {
    installed: true,
    list: () => files,
    read: (path) => (files.includes(path) ? setTemplate(path) : undefined),
  };
}
