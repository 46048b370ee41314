/** What the console reads of stored templates. */
import type * as v from "valibot";
import { listedTemplate, templateRecord, templateTests } from "../../api/recipes/template.ts";
import { reader } from "../../api/schema.ts";

export const listedTemplates = reader(listedTemplate);
export const stored = reader(templateRecord);
export const tests = reader(templateTests);
export type Draft = Pick<
  v.InferOutput<typeof stored>,
  "engine" | "title" | "description" | "template" | "args" | "tests"
>;
export type Tests = v.InferOutput<typeof tests>;
