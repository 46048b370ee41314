/** The TTP corpus: this engine must return what the reference returns. */

import { expect, test } from "vitest";
import { TemplateError } from "../../python/index.ts";
import { createLoadedEngine as createEngine } from "../engine.ts";
import { checkSet } from "../install.ts";
import { corpusLibrary, readBuiltinCases, readCases, runBuiltin, withoutOutputMacros } from "./corpus.ts";
import { type Case, runCase, sameJson } from "./run-case.ts";
import { kitOf } from "./support.ts";

/** Cases that need another Python library are counted separately. */
const FOREIGN = ["yangson"];
const foreign = (one: { features: readonly string[] }): string | undefined =>
  FOREIGN.find((name) => one.features.some((feature) => feature.includes(name)));

interface Outcome {
  readonly id: string;
  /** Why it fails. */
  readonly why?: string | undefined;
}

function judge(id: string, work: () => unknown, expected: unknown): Outcome {
  try {
    return sameJson(work(), expected) ? { id } : { id, why: "another result" };
  } catch (error) {
    return { id, why: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

function judgeCase(one: Case): Outcome {
  if (one.error === undefined) return judge(one.id, () => runCase(one), one.expected);
  try {
    runCase(one);
    return { id: one.id, why: "no error" };
  } catch {
    return { id: one.id };
  }
}

/** The fraction of passing cases; prints the failing ones. */
function share(title: string, outcomes: readonly Outcome[]): number {
  const failing = outcomes.filter((one) => one.why !== undefined);
  console.log(`${title}: ${outcomes.length - failing.length} of ${outcomes.length}`);
  for (const { id, why } of failing) console.log(`  ${id}: ${why?.slice(0, 200)}`);
  return (outcomes.length - failing.length) / outcomes.length;
}

test("every template of the community set loads", async () => {
  expect(await checkSet(corpusLibrary)).toEqual({ templates: 79, problems: [] });
});

test("at least 97 % of the TTP corpus have the reference's result", () => {
  const cases = readCases().filter((one) => one.skip !== true);
  expect(cases.length).toBeGreaterThan(300);
  share("apart, need a Python library", cases.filter(foreign).map(judgeCase));
  const own = cases.filter((one) => foreign(one) === undefined).map(judgeCase);
  expect(share("cases.jsonl", own)).toBeGreaterThanOrEqual(0.97);
});

test("the built-in templates have the reference's results, as list and as dictionary", () => {
  const engine = createEngine(kitOf({ library: () => corpusLibrary }));
  const cases = readBuiltinCases().filter((one) => one.skip !== true);
  expect(cases.length).toBeGreaterThan(80);
  const apart = readBuiltinCases().filter((one) => one.skip === true);
  console.log("apart, skipped:", apart.map((one) => `${one.id} (${foreign(one) ?? "not run"})`).join(", "));
  const verdicts = cases.map((one) =>
    judge(one.id, () => runBuiltin(one, engine, one.structure), one.expected),
  );
  expect(share("cases.builtin.jsonl", verdicts)).toBeGreaterThanOrEqual(0.9);
  const named = cases
    .filter((one) => one.expected_dictionary !== undefined)
    .map((one) => judge(one.id, () => runBuiltin(one, engine, "dictionary"), one.expected_dictionary));
  expect(share("as a dictionary", named)).toBeGreaterThanOrEqual(0.9);
});

test("the built-in templates without output macros have the reference's results", () => {
  const engine = createEngine(kitOf({ library: () => withoutOutputMacros }));
  const cases = readBuiltinCases().filter(
    (one) => one.skip !== true && one.expected_without_output_macro !== undefined,
  );
  const verdicts = cases.map((one) =>
    judge(one.id, () => runBuiltin(one, engine, one.structure), one.expected_without_output_macro),
  );
  expect(share("without output macros", verdicts)).toBeGreaterThanOrEqual(0.9);
});

test("cases that fail in the reference fail as TemplateError", () => {
  for (const one of readCases().filter((one) => one.error !== undefined && one.skip !== true))
    expect(() => runCase(one), one.id).toThrow(TemplateError);
});
