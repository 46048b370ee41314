/** The TTP cases: templates with inputs, the built-in templates, and cases that need the parser's own API. */
import * as v from "valibot";
import * as corpus from "../../plugins/templates/ttp/test/corpus.ts";
import * as runner from "../../plugins/templates/ttp/test/run-case.ts";
import { type Asker, each, judge, type Outcome } from "./ask.ts";
import type { Left } from "./table.ts";

const plain = (path: string) => path.replace(/^(?:\.\/)+/, "");
const asList = (one: string | string[]) => (typeof one === "string" ? [one] : one);
const resultArgs = v.looseObject({
  structure: v.optional(v.string(), "list"),
  templates: v.nullish(v.union([v.string(), v.array(v.string())])),
});

/** A request has one template and some texts; a parser accepts more. @returns why the case cannot be a request */
export function whyInProcess(one: runner.Case): string | undefined {
  if (one.steps !== undefined) return "several calls on one parser";
  if (one.templates !== undefined) return "several templates given one by one";
  if (one.lookups !== undefined) return "lookups given as texts with a loader";
  if (one.data.some(({ text }) => text === undefined)) return "an input that is not a text";
  if (one.features.some((feature) => feature.startsWith("files:directory"))) return "folders as inputs";
  const paths = Object.keys(one.files).map(plain);
  const isPath = ({ text }: { text?: string | undefined }) =>
    text !== undefined &&
    paths.some((path) => path === plain(text) || path.startsWith(`${plain(text).replace(/\/$/, "")}/`));
  return one.data.some(isPath) ? "files as inputs" : undefined;
}

/** The case needs a Python package that is not part of this product. */
export const needsLibrary = ({ features }: { readonly features: readonly string[] }): boolean =>
  features.some((feature) => /cerberus|deepdiff|yangson/.test(feature));

export function asked(asker: Asker, cases: readonly runner.Case[], width: number): Promise<Outcome[]> {
  return each(cases, width, async (one) => {
    for (const [path, text] of Object.entries(one.files)) {
      if (!path.startsWith("ttp://")) asker.put(plain(path), text);
    }
    const [first, ...others] = one.data;
    const { structure, templates, ...output } = v.parse(resultArgs, one.result_args);
    const args = {
      structure,
      ...(templates == null ? {} : { templates: asList(templates) }),
      ...(Object.keys(output).length === 0 ? {} : { output }),
      ...(one.vars === undefined ? {} : { vars: one.vars }),
      ...(first === undefined ? {} : { input: first.input, template_name: first.template }),
      ...(others.length === 0 ? {} : { inputs: others.map(inputOf) }),
      ...one.options,
    };
    const template = one.template ?? "";
    const answer = await asker.parse({ engine: "ttp", template, text: first?.text ?? "", args });
    return judge(one.id, answer, one.error !== undefined, (data) => runner.sameJson(data, one.expected));
  });
}

function inputOf({ text = "", input, template, groups }: runner.Case["data"][number]) {
  return { text, name: input, template, ...(groups == null ? {} : { groups }) };
}

export function builtin(asker: Asker, cases: readonly corpus.BuiltinCase[], width: number) {
  return each(cases, width, async (one): Promise<Outcome> => {
    const { platform, command, get, misc, yang, structure, vars } = one;
    const set = { platform, command, get, misc, yang };
    const args = { structure, ...(vars === undefined ? {} : { vars }) };
    const answer = await asker.parse({ engine: "ttp", set, text: one.raw, args });
    return judge(one.id, answer, false, (data) => runner.sameJson(data, one.expected));
  });
}

export async function inProcess(cases: readonly runner.Case[]): Promise<Outcome[]> {
  return cases.map((one) => {
    try {
      const same = runner.sameJson(runner.runCase(one), one.expected);
      return same ? { id: one.id } : { id: one.id, why: "another result" };
    } catch (error) {
      const why = error instanceof Error ? error.message.slice(0, 120) : String(error);
      return one.error === undefined ? { id: one.id, why } : { id: one.id };
    }
  });
}

const skipped = v.looseObject({
  id: v.string(),
  skip: v.optional(v.boolean()),
  skip_reason: v.optional(v.string(), "left out by the corpus"),
});

/** Why the reference's result was not recorded, according to the corpus. */
export function notAsked(): Left[] {
  return ["cases.jsonl", "cases.builtin.jsonl"].flatMap((name) =>
    corpus
      .lines(name)
      .map((line) => v.parse(skipped, line))
      .filter(({ skip }) => skip === true)
      .map(({ id, skip_reason }) => ({ id, why: skip_reason })),
  );
}
