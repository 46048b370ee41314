/** Compares device output with a check. Pure; a failure reports what was found. */
import { isDeepStrictEqual } from "node:util";
import type { CheckResult, StoredCheck } from "../api/jobs/checks.ts";
import { linearPattern } from "../base/regex/linear.ts";
import { textOf } from "./output.ts";
import { isTextCheck } from "./plan.ts";

type Verdict = Pick<CheckResult, "ok" | "value" | "message">;

/** Maximum characters of outputs and values kept in the record. */
const keptChars = 4_096;
const keptMatch = 200;
/** Limits the input of regular expressions, which would block the thread. */
const maxChars = 4 * 1024 * 1024;
/** 0.55 of 20 is 11.000000000000002. */
const rounding = 1e-9;

/** @param before the value before the push, if the check compares with it */
export function judge(check: StoredCheck, value: unknown, before?: { readonly value: unknown }): Verdict {
  return isTextCheck(check) ? judgeText(check, textOf(value)) : judgeValue(check, value, before);
}

/** The expected value for the record. */
export function expectedOf({ command, name, parse, expression, ...check }: StoredCheck): unknown {
  const { setField: _set, argsOnly: _args, ...conditions } = check;
  return Object.keys(conditions).length === 0 ? { equals: true } : conditions;
}

function judgeText({ contains, not_contains, matches }: StoredCheck, text: string): Verdict {
  if (text.length > maxChars) {
    const message = `The output is longer than ${maxChars / 1024 / 1024} MiB: it was not searched.`;
    return { ok: false, value: null, message };
  }
  if (contains !== undefined) {
    const ok = text.includes(contains);
    return {
      ok,
      value: ok,
      message: ok ? "The output contains the text." : "The output does not contain the text.",
    };
  }
  if (not_contains !== undefined) {
    const has = text.includes(not_contains);
    return {
      ok: !has,
      value: has,
      message: has ? "The output contains the text." : "The output does not contain the text.",
    };
  }
  const match = linearPattern(matches ?? "", { multiline: true }).exec(text);
  return match === null
    ? { ok: false, value: null, message: "Nothing in the output matches." }
    : { ok: true, value: match[0].slice(0, keptMatch), message: "The output matches." };
}

function judgeValue(
  check: StoredCheck,
  value: unknown,
  before: { readonly value: unknown } | undefined,
): Verdict {
  const faults = faultsOf(check, value, before);
  const { message } = faults[0] ?? { message: "The value is as expected." };
  return { ok: faults.length === 0, value: shortened(value), message };
}

function faultsOf(
  { equals, at_least, at_most, unchanged, relative }: StoredCheck,
  value: unknown,
  before: { readonly value: unknown } | undefined,
): { message: string }[] {
  const faults: { message: string }[] = [];
  const fault = (message: string) => void faults.push({ message });
  const isBare = at_least === undefined && at_most === undefined && unchanged !== true;
  if (equals !== undefined || isBare) {
    const expected = equals === undefined ? true : equals;
    if (!same(value, expected)) fault(`The value is ${short(value)}, expected ${short(expected)}.`);
  }
  if (unchanged === true && !same(value, before?.value))
    fault(`The value was ${short(before?.value)} before the push and is ${short(value)}.`);
  for (const [bound, least] of [
    [at_least, true],
    [at_most, false],
  ] as const) {
    if (bound === undefined) continue;
    const base = relative === true ? before?.value : 1;
    if (typeof value !== "number" || typeof base !== "number") {
      const subject = typeof value === "number" ? "The value before the push" : "The value";
      fault(`${subject} is ${short(typeof value === "number" ? base : value)}: a number is compared.`);
      continue;
    }
    const limit = bound * base;
    const slack = Math.abs(limit) * rounding;
    if (least ? value >= limit - slack : value <= limit + slack) continue;
    const of = relative === true ? ` (${bound} of ${base} before the push)` : "";
    fault(`The value is ${value}, ${least ? "less" : "more"} than ${limit}${of}.`);
  }
  return faults;
}

/** JSON equality: 0 equals -0, and key order does not matter. */
function same(value: unknown, other: unknown): boolean {
  const plain = (input: unknown): unknown => JSON.parse(JSON.stringify(input) ?? "null");
  return isDeepStrictEqual(plain(value), plain(other));
}

/** Shortens a value for the record. */
export function shortened(value: unknown): unknown {
  const json = JSON.stringify(value) ?? "null";
  return json.length <= keptChars ? (value ?? null) : `${json.slice(0, keptChars)}…`;
}

/** Whether this is what is left of a longer one: a text is at least two characters longer as JSON. */
export function isShortened(value: unknown): boolean {
  return typeof value === "string" && value.length === keptChars + 1 && value.endsWith("…");
}

/** Shortens an output for the record. */
export function beginningOf(output: unknown): string {
  return textOf(output).slice(0, keptChars);
}

function short(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length <= 100 ? json : `${json.slice(0, 100)}…`;
}
