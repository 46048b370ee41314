/** What the JSON texts of the schema contain. */
import * as v from "valibot";
import { readRun } from "../../../api/inventory-source.ts";

type Problem = (value: unknown) => string | undefined;

const attempts = v.array(
  v.object({ at: v.number(), status: v.nullable(v.number()), error: v.optional(v.string()) }),
);

const isStrings = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "string");

/** Without escapes it needs no parser, of which a list would have to wait for each of its rows. */
const plainStrings = /^\["[^"\\\p{Cc}]*"(?:,"[^"\\\p{Cc}]*")*\]$/u;
const anyStrings = inText(isStrings, "a JSON list of texts");
const strings: Problem = (text) => (plainStrings.test(String(text)) ? undefined : anyStrings(text));
const source = inText(
  (value) => v.is(v.looseObject({ name: v.string() }), value),
  "an inventory source in JSON",
);
const run = inText((value) => readRun(value) !== undefined, "a sync run in JSON");

/** By table and column. Schedules are not among them: one with unknown members is shown without those. */
const problems: Readonly<Record<string, Problem>> = {
  "jobs.warnings": strings,
  "jobs.tags": strings,
  "bulks.tags": strings,
  "keys.hosts": (value) => (isStrings(value) ? undefined : "a JSON list of texts"),
  "keys.credentials": (value) => (isStrings(value) ? undefined : "a JSON list of texts"),
  "credentials.fields": (value) => (isStrings(value) ? undefined : "a JSON list of texts"),
  "deliveries.events": strings,
  "deliveries.attempts": inText((value) => v.is(attempts, value), "a JSON list of attempts"),
  "inventory_sources.own": source,
  "inventory_source_runs.run": run,
};

/** @returns what tells what a value must be, or undefined if it is that; undefined for other columns */
export function jsonProblem(table: string, column: string): Problem | undefined {
  return problems[`${table}.${column}`];
}

function inText(fits: (value: unknown) => boolean, what: string): Problem {
  return (text) => {
    try {
      return fits(JSON.parse(String(text))) ? undefined : what;
    } catch {
      return what;
    }
  };
}
