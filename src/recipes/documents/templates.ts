/** Stored templates, as callers see them. */
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import {
  draftRequest,
  type ListedTemplate,
  type TemplateRecord,
  type TemplateRequest,
  type TemplateTest,
  type TemplateTests,
  templateLimits,
  templateLine,
  templateName,
  templateRequest,
} from "../../api/recipes/template.ts";
import { readStrict } from "../../api/strict.ts";
import { requireScope } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { errorSentence, placedIn, refuse, refuseAny } from "../../base/issues.ts";
import type { Jobs } from "../../jobs/port.ts";
import { checkUse } from "../../jobs/request/template-request.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ListedDocument, Store, StoredDocument, WrittenDocument } from "../../store/port.ts";
import type { Templates } from "../port.ts";
import { createDocuments, sourceCheck } from "./documents.ts";

export interface TemplateTools {
  readonly store: Pick<Store, "templates" | "sources">;
  readonly jobs: Pick<Jobs, "render" | "parse">;
  readonly plugins: Pick<Registry, "get" | "list" | "names">;
  readonly iso: (ms: number) => string;
}

/** All tests of one together. */
const testsMs = 60_000;
/** Shown of a difference. */
const shownChars = 200;
/** They say that nothing was tried: not about the template. */
const notTried = new Set(["Cancelled", "Forbidden", "TooManyRequests", "Unavailable"]);

export function createTemplates({ store, jobs, plugins, iso }: TemplateTools): Templates {
  const { templates } = store;
  const documents = createDocuments(templates, iso, {
    ...{ noun: "template", ...templateLimits, nameSchema: templateName },
    isSource: sourceCheck(store.sources),
  });

  const recordOf = (stored: StoredDocument): TemplateRecord => ({
    ...documents.headOf(stored),
    ...documentOf(stored),
  });

  function doesOf(engine: string): "render" | "parse" {
    const found = plugins.get("template", engine);
    if (found !== undefined && found.withoutTemplate !== true && found.trustedSourcesOnly !== true)
      return found.does;
    const names = plugins
      .list("template")
      .filter((one) => one.withoutTemplate !== true && one.trustedSourcesOnly !== true)
      .map(({ name }) => name)
      .sort();
    return refuse([{ path: "engine", message: `must be one of ${names.join(", ")}` }]);
  }

  /** @throws ServiceError Validation */
  async function checked(value: unknown): Promise<TemplateRequest> {
    const read = readStrict(templateRequest, value);
    if ("issues" in read) return refuse(read.issues);
    const template = read.output;
    const does = doesOf(template.engine);
    const use = { name: template.engine, template: template.template, args: template.args ?? undefined };
    const place = does === "render" ? /^rendering\./ : /^parsing\./;
    const issues = (await checkUse(plugins, use, does)).map((issue) => ({
      ...issue,
      path: issue.path.replace(place, ""),
    }));
    for (const [at, { context, expected }] of (template.tests ?? []).entries()) {
      const isText = typeof context === "string";
      if (isText !== (does === "parse"))
        issues.push({
          path: `tests.${at}.context`,
          message: does === "parse" ? "must be the text to parse" : "must be the variables",
        });
      if ((typeof expected === "string") !== (does === "render"))
        issues.push({
          path: `tests.${at}.expected`,
          message: does === "parse" ? "must be the list of records" : "must be the rendered text",
        });
    }
    refuseAny(issues);
    return template;
  }

  /** One after the other: they give way to others. @throws ServiceError if a test could not be tried */
  async function testsOf(
    template: TemplateRequest,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<TemplateTests> {
    const does = doesOf(template.engine);
    const warnings = new Set<string>();
    const results: TemplateTests["tests"] = [];
    const until = performance.now() + testsMs;
    for (const [at, test] of (template.tests ?? []).entries()) {
      if (performance.now() > until)
        throw new ServiceError(
          "BadRequest",
          `The tests have taken more than ${testsMs / 1_000} seconds, and ${at} were run: fewer, or smaller ones.`,
        );
      const name = test.name ?? `test ${at + 1}`;
      const message = await outcomeOf(template, does, test, warnings, caller, signal);
      results.push({ name, passed: message === null, message });
    }
    return { passed: results.every(({ passed }) => passed), tests: results, warnings: [...warnings] };
  }

  /** @returns why it did not pass */
  async function outcomeOf(
    { engine, template, args }: TemplateRequest,
    does: "render" | "parse",
    { context, expected }: TemplateTest,
    warnings: Set<string>,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<string | null> {
    const value = { name: engine, template, args: args ?? undefined, context };
    const body = { text: JSON.stringify(value), value };
    try {
      if (does === "render") {
        const { text, warnings: said = [] } = await jobs.render(body, undefined, caller, signal);
        for (const one of said) warnings.add(one);
        return text === expected ? null : differenceOf(String(expected), text);
      }
      const { json, warnings: said = [] } = await jobs.parse(body, undefined, caller, signal);
      for (const one of said) warnings.add(one);
      const records: unknown = JSON.parse(json);
      return isDeepStrictEqual(records, expected) ? null : differenceIn(expected, records);
    } catch (error) {
      if (!(error instanceof ServiceError) || notTried.has(error.kind)) throw error;
      return errorSentence(error);
    }
  }

  /** One without tests must compile. @throws ServiceError Validation */
  async function requireSound(template: TemplateRequest, caller: Caller, signal: AbortSignal): Promise<void> {
    const { engine, template: source, args } = template;
    const does = doesOf(engine);
    const context = does === "render" ? {} : "";
    const value = { name: engine, template: source, args: args ?? undefined, context };
    try {
      await jobs[does]({ text: JSON.stringify(value), value }, undefined, caller, signal);
    } catch (error) {
      if (!(error instanceof ServiceError) || notTried.has(error.kind)) throw error;
      if (error.detail?.template_error === "TemplateSyntax")
        refuse([{ path: "template", message: `does not compile: ${error.message}` }]);
      // Without variables it may fail as it likes.
    }
  }

  /** @throws ServiceError Validation: it does not compile, or a test does not pass */
  async function proven(value: unknown, caller: Caller, signal: AbortSignal): Promise<WrittenDocument> {
    const template = await checked(value);
    if (!template.tests?.length) await requireSound(template, caller, signal);
    const { tests } = await testsOf(template, caller, signal);
    refuseAny(
      tests.flatMap(({ name, message }, at) =>
        message === null ? [] : [{ path: `tests.${at}`, message: `${name} does not pass: ${message}` }],
      ),
    );
    const { engine, title } = template;
    const line = { engine, title: title ?? null, tests: tests.length };
    return { document: JSON.stringify(template), listed: JSON.stringify(line) };
  }

  return {
    proven,

    async list(caller) {
      requireScope(caller, "read");
      return (await templates.list()).map(
        (stored): ListedTemplate => ({
          ...{ name: stored.name, version: stored.version },
          ...{ changed_at: iso(stored.changedAt), changed_by: stored.who },
          ...lineOf(stored),
        }),
      );
    },

    async read(name, caller, version) {
      requireScope(caller, "read");
      return recordOf(await documents.find(name, version));
    },

    versions: documents.versions,

    async put(name, body, caller, condition, signal) {
      documents.requireWritable(name, body, caller);
      const written = await proven(body.value, caller, signal);
      const { stored, added } = await documents.put(name, written, caller, condition);
      return { record: recordOf(stored), added };
    },

    remove: documents.remove,

    async test(name, body, caller, signal) {
      requireScope(caller, "operate");
      const read = readStrict(draftRequest, body.value);
      if ("issues" in read) return refuse(read.issues);
      const { draft } = read.output;
      if (draft === undefined || draft === null)
        return testsOf(documentOf(await documents.find(name)), caller, signal);
      try {
        return await testsOf(await checked(draft), caller, signal);
      } catch (error) {
        throw placedIn(error, "draft");
      }
    },
  };
}

/** @throws ServiceError Internal */
function documentOf({ name, document }: Pick<StoredDocument, "name" | "document">): TemplateRequest {
  const read =
    document === undefined
      ? undefined
      : v.safeParse(v.pipe(v.string(), v.parseJson(), templateRequest), document);
  if (read?.success) return read.output;
  throw new ServiceError(
    "Internal",
    `The template ${name} cannot be opened: it is damaged, or the master key is another one. Write it again.`,
  );
}

/** One that cannot be read takes no list along. */
function lineOf({ listed }: ListedDocument): v.InferOutput<typeof templateLine> {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), templateLine), listed);
  return read.success ? read.output : { engine: "", title: "It cannot be opened: write it again.", tests: 0 };
}

const shownValue = (value: unknown) => {
  const json = value === undefined ? "nothing" : JSON.stringify(value);
  return json.length > shownChars ? `${json.slice(0, shownChars)}…` : json;
};

/** The first line that is another one. */
export function differenceOf(expected: string, got: string): string {
  const [wanted, found] = [expected.split("\n"), got.split("\n")];
  const at = wanted.findIndex((line, index) => line !== found[index]);
  const line = at < 0 ? wanted.length : at;
  return `line ${line + 1} is ${shownValue(found[line])}, expected ${shownValue(wanted[line])}`;
}

/** The first record that is another one. */
export function differenceIn(expected: unknown, got: unknown): string {
  const [wanted, found] = [expected, got].map((value): readonly unknown[] =>
    Array.isArray(value) ? value : [value],
  );
  const most = Math.max(wanted?.length ?? 0, found?.length ?? 0);
  for (let at = 0; at < most; at++)
    if (!isDeepStrictEqual(wanted?.[at], found?.[at]))
      return `record ${at + 1} is ${shownValue(found?.[at])}, expected ${shownValue(wanted?.[at])}`;
  return "the records differ";
}
