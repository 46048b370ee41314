/** What the client reads of stored templates. */
import * as v from "valibot";
import { listedTemplate, templateRecord, templateTests, versionRecord } from "../../api/recipes/template.ts";
import { reader } from "../../api/schema.ts";

export const oneTemplate = reader(templateRecord);
export const templateList = v.array(reader(listedTemplate));
export const testReport = reader(templateTests);
export const versionList = v.array(reader(versionRecord));
export type ListedTemplate = v.InferOutput<typeof templateList>[number];
export type TestReport = v.InferOutput<typeof testReport>;
export type Version = v.InferOutput<typeof versionList>[number];

export const templatePath = (name: string, what: "" | "test/" | "version/" = "") =>
  `/template/${what}${encodeURIComponent(name)}`;

const faults = v.array(v.object({ path: v.string(), message: v.string() }));
/** What a refusal lists, with the file of each; undefined: it is another one. */
export function readFaults(data: unknown): string[] | undefined {
  const read = v.safeParse(faults, data);
  return read.success ? read.output.map((one) => `${one.path}: ${one.message}`) : undefined;
}

/** Of templates, with how many tests each has, or of recipes. */
export const readListed = (data: unknown) =>
  v.parse(v.array(v.looseObject({ name: v.string(), tests: v.optional(v.number()) })), data);
