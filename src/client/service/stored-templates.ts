/** What the client reads of stored templates. */
import * as v from "valibot";
import { reader } from "../../api/schema.ts";
import { listedTemplate, templateRecord, templateTests, versionRecord } from "../../api/template.ts";

export const oneTemplate = reader(templateRecord);
export const templateList = v.array(reader(listedTemplate));
export const testReport = reader(templateTests);
export const versionList = v.array(reader(versionRecord));
export type ListedTemplate = v.InferOutput<typeof templateList>[number];
export type TestReport = v.InferOutput<typeof testReport>;
export type Version = v.InferOutput<typeof versionList>[number];

export const templatePath = (name: string, what: "" | "test/" | "version/" = "") =>
  `/template/${what}${encodeURIComponent(name)}`;
