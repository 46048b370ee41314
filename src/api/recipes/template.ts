/** Stored templates: schemas. */
import * as v from "valibot";
import { members } from "../../base/json/objects.ts";
import { nameForm, words } from "../forms.ts";
import { engineName, templateSource } from "../jobs/template-use.ts";
import { described, documentHeads, field, integer, moment, named, text } from "../schema.ts";

export const templateLimits = {
  most: 1_000,
  /** Versions kept per template. */
  versions: 50,
  /** Maximum body size in bytes. */
  maxBytes: 512 * 1024,
  /** Characters of its text. */
  textChars: 256 * 1024,
  tests: 50,
  /** Different ones that a request may name. */
  named: 20,
} as const;

export const templateName = v.pipe(
  v.string("must be a string"),
  v.regex(...nameForm),
  v.check(
    (name) => !["render", "parse", "test", "version"].includes(name.toLowerCase()),
    "is a word of the address: choose another one",
  ),
);

export const templateTest = named(
  "TemplateTest",
  v.strictObject({
    name: field(described(words(200), "What it shows")),
    context: described(
      v.union([v.string(), members], "must be a text to parse, or the variables"),
      "As in a request: the text to parse, or the variables",
    ),
    expected: described(
      v.union(
        [v.string(), v.array(v.union([members, v.array(members)]))],
        "must be the rendered text, or the list of records",
      ),
      "The whole answer: the rendered text, or the records",
    ),
  }),
);
export type TemplateTest = v.InferOutput<typeof templateTest>;

const fields = {
  engine: described(engineName, "Name of the engine, which says whether it renders or parses"),
  title: field(described(words(200), "Title for lists")),
  description: field(described(words(10_000), "What it is for, and which variables it has")),
  template: described(
    v.pipe(
      v.string(),
      v.nonEmpty("must not be empty"),
      v.maxLength(templateLimits.textChars),
      v.check(
        (template) => templateSource(template).kind === "inline",
        "must be the text itself, not where it is",
      ),
    ),
    "The text",
  ),
  args: field(
    described(members, "Arguments of the engine; a request that names the template may add its own"),
  ),
  tests: field(
    described(
      v.pipe(v.array(templateTest), v.maxLength(templateLimits.tests)),
      "Samples, each with what must come out",
    ),
  ),
};
/** Body of PUT /template/{name}, and the form that is stored. */
export const templateRequest = v.strictObject(fields);
export type TemplateRequest = v.InferOutput<typeof templateRequest>;

/** Body of POST /template/test/{name}. */
export const draftRequest = v.strictObject({
  draft: field(described(templateRequest, "A template in place of the stored one, which need not be there")),
});

const heads = {
  name: described(text, "Name of the template"),
  ...documentHeads,
};
export const templateRecord = named("Template", v.object({ ...heads, ...fields }));
export type TemplateRecord = v.InferOutput<typeof templateRecord>;

/** What is stored of it for lists. */
export const templateLine = v.object({ engine: text, title: v.nullable(text), tests: integer });
export const listedTemplate = named(
  "ListedTemplate",
  v.object({ ...heads, ...templateLine.entries, tests: described(integer, "How many it has") }),
);
export type ListedTemplate = v.InferOutput<typeof listedTemplate>;

/** Of a template or recipe. */
export const versionRecord = named(
  "StoredVersion",
  v.object({
    version: integer,
    changed_at: moment,
    changed_by: described(text, "Name of the key or person"),
  }),
);
export type VersionRecord = v.InferOutput<typeof versionRecord>;

export const testOutcome = v.object({
  name: text,
  passed: v.boolean(),
  message: described(v.nullable(text), "Why it did not pass"),
});
/** Answer of POST /template/test/{name}. */
export const templateTests = named(
  "TemplateTests",
  v.object({
    passed: described(v.boolean(), "All of them did"),
    tests: v.array(testOutcome),
    warnings: described(v.array(text), "Likely mistakes in the template"),
  }),
);
export type TemplateTests = v.InferOutput<typeof templateTests>;
