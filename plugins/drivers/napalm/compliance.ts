/** `compliance_report`: compares a device's state with the expected state by NAPALM's rules. */
import { PluginError, userPattern } from "patchbay/plugin";
import { type ComplianceCheck, comparison, type Fields, range, tolerance } from "./compliance-source.ts";
import { ofOneMethod } from "./failures.ts";

type Ask = (check: ComplianceCheck) => Promise<unknown>;

interface Compared {
  readonly complies: boolean;
  readonly error?: { readonly type: string; readonly message: string };
}

/** @param ask returns the actual state; throws a PluginError if the device does not provide it */
export async function complianceReport(checks: readonly ComplianceCheck[], ask: Ask): Promise<Fields> {
  const report: Record<string, Compared | Skipped> = {};
  for (const check of checks) report[check.name] = await reportOf(check, ask);
  const results = Object.entries(report);
  return {
    ...report,
    skipped: results.filter(([, result]) => "skipped" in result).map(([name]) => name),
    complies: results.every(([, result]) => "skipped" in result || result.complies),
  };
}

interface Skipped {
  readonly skipped: true;
  readonly reason: string;
}

async function reportOf(check: ComplianceCheck, ask: Ask): Promise<Compared | Skipped> {
  try {
    const result = compare(check.expected, await ask(check));
    return typeof result === "boolean" ? { complies: result } : result;
  } catch (error) {
    if (!(error instanceof PluginError) || !ofOneMethod.has(error.kind)) throw error;
    if (error.detail?.unsupported === true) return { skipped: true, reason: "NotImplemented" };
    // State that the device does not provide does not comply.
    return { complies: false, error: { type: error.kind, message: error.message } };
  }
}

/** A boolean for a single value, the differences for objects and lists. */
function compare(expected: unknown, actual: unknown): boolean | Compared {
  if (typeof expected === "string") return textComplies(expected, actual);
  if (isFields(expected)) {
    const { _mode: mode, ...fields } = expected;
    const isStrict = mode === "strict";
    if (!Array.isArray(fields.list)) return compareFields(fields, actual, isStrict);
    return Array.isArray(actual) ? compareLists(fields.list, actual, isStrict) : false;
  }
  if (Array.isArray(expected) && Array.isArray(actual))
    return expected.every((item, at) => at >= actual.length || complies(compare(item, actual[at])));
  return expected === actual;
}

const complies = (result: boolean | Compared) => (typeof result === "boolean" ? result : result.complies);

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `<5`, `10<->20`, `10%20`, a regular expression that is searched, or the text itself. */
function textComplies(expected: string, actual: unknown): boolean {
  if (expected === "") return true;
  const [, operator, bound] = comparison.exec(expected) ?? [];
  const value = typeof actual === "string" && actual.trim() === "" ? Number.NaN : Number(actual);
  if (operator !== undefined) return holds(value, operator, Number(bound));
  const [, min, max] = range.exec(expected) ?? [];
  if (min !== undefined) return value >= Number(min) && value <= Number(max);
  const [, percent, middle] = tolerance.exec(expected) ?? [];
  if (percent !== undefined)
    return Math.abs(value - Number(middle)) <= (Number(middle) * Number(percent)) / 100;
  return expected === actual || userPattern(expected, "validation_source").test(written(actual));
}

function holds(value: number, operator: string, bound: number): boolean {
  if (operator === "<") return value < bound;
  if (operator === ">") return value > bound;
  return operator === "<=" ? value <= bound : value >= bound;
}

/** Python's text form of other values, which existing validation sources expect. */
function written(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === null || value === undefined) return "None";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function compareFields(expected: Fields, actual: unknown, isStrict: boolean) {
  const unmatched = new Map(Object.entries(isFields(actual) ? actual : {}));
  const present: Record<string, Fields> = {};
  const missing: string[] = [];
  for (const [key, value] of Object.entries(expected)) {
    if (!unmatched.has(key)) {
      missing.push(key);
      continue;
    }
    const actualValue = unmatched.get(key);
    unmatched.delete(key);
    present[key] = placeOf(value, actualValue);
  }
  const extra = isStrict ? [...unmatched.keys()] : [];
  const isPresent = Object.values(present).every((result) => result.complies === true);
  return { complies: isPresent && missing.length === 0 && extra.length === 0, present, missing, extra };
}

function placeOf(expected: unknown, actual: unknown): Fields {
  const result = compare(expected, actual);
  if (typeof result !== "boolean")
    return { complies: result.complies, nested: true, ...(result.complies ? {} : { diff: result }) };
  return {
    complies: result,
    nested: false,
    ...(result ? {} : { expected_value: expected, actual_value: actual }),
  };
}

/** Each expected entry matches one actual entry, in any order. */
function compareLists(expected: readonly unknown[], actual: readonly unknown[], isStrict: boolean) {
  const unmatched = [...actual];
  const present: unknown[] = [];
  const missing: unknown[] = [];
  for (const item of expected) {
    const at = unmatched.findIndex((candidate) => complies(compare(item, candidate)));
    if (at >= 0) {
      unmatched.splice(at, 1);
      present.push(item);
    } else missing.push(item);
  }
  const extra = isStrict ? unmatched : [];
  return { complies: missing.length === 0 && extra.length === 0, present, missing, extra };
}
