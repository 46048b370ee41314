/** Validation issues by field. Messages never repeat a value of the request: it may be a secret. */
import * as v from "valibot";
import { refuse, type Issue as Wrong } from "../../base/issues.ts";
import { within } from "../../base/time/deadline.ts";
import type { AnyPlugin } from "../../plugin/index.ts";
import type { Schema, SchemaIssue } from "../../plugin/kit/kit.ts";
import { pluginFault } from "../../registry/plugin-fault.ts";

/** An asynchronous schema must not hold a request for ever. */
const validateLimitMs = 5_000;

export interface Issue extends Wrong {
  /** Type of the given value: `string`, `null`, … */
  readonly received?: string;
}

/** @throws ServiceError Validation */
export function checkShape<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  return refuse(shapeIssues(result.issues, "", value));
}

/** Issues that valibot found in a value. */
export function shapeIssues(issues: readonly v.BaseIssue<unknown>[], where: string, value: unknown): Issue[] {
  return issues.map(({ message, path }) =>
    described({ message, path: path?.map((step) => String(step.key)) }, where, value),
  );
}

/** The result of a plugin's schema. */
export type Checked =
  | { readonly ok: true; readonly output: unknown; readonly issues: [] }
  | {
      readonly ok: false;
      readonly issues: Issue[];
      /** The issues about missing values. */
      readonly missing: ReadonlySet<Issue>;
    };

/**
 * @param plugin whose schema it is
 * @throws ServiceError DriverError: the schema itself fails
 */
export async function readWith(
  plugin: Pick<AnyPlugin, "kind" | "name">,
  schema: Schema,
  value: unknown,
  where: string,
): Promise<Checked> {
  const fault = (error: unknown) => pluginFault(plugin, `the schema of ${where}`, error);
  const late = () => new Error(`it gave no result within ${validateLimitMs / 1000} s`);
  const result = await within(
    (async () => schema["~standard"].validate(value))(),
    validateLimitMs,
    new AbortController().signal,
    late,
  ).catch((error: unknown) => {
    throw fault(error);
  });
  if (!isObject(result)) throw fault("it returned no result");
  if (result.issues === undefined) return { ok: true, output: result.value, issues: [] };
  const issues = result.issues.map((issue) => described(issue, where, value));
  return { ok: false, issues, missing: new Set(issues.filter(({ received }) => received === undefined)) };
}

/** Validates with a plugin's schema. */
export async function checkWith(
  plugin: Pick<AnyPlugin, "kind" | "name">,
  schema: Schema,
  value: unknown,
  where: string,
): Promise<Issue[]> {
  return (await readWith(plugin, schema, value, where)).issues;
}

function described(issue: SchemaIssue, where: string, value: unknown): Issue {
  const steps = (issue.path ?? []).map((step) => (typeof step === "object" ? step.key : step));
  const received = steps.reduce<unknown>(
    (at, step) => (isObject(at) ? Reflect.get(at, step) : undefined),
    value,
  );
  const path = [where, ...steps.map(String)].filter((step) => step !== "").join(".");
  if (received === undefined && steps.length > 0) return { path, message: "is required" };
  const kind = kindOf(received);
  return { path, message: inWords(quoteless(issue.message), kind), received: kind };
}

/** Removes received values from library messages: `Expected number but received "hunter2"`. */
function quoteless(message: string): string {
  return message.replace(/,? (but )?received[\s\S]*$/i, "");
}

/** Replacements for the default messages of valibot. */
const words: readonly [RegExp, string][] = [
  [/^Invalid key: Expected never$/, "is not known"],
  [/^Invalid integer:$/, "must be a whole number"],
  [/^Invalid type: Expected Object$/, "must be an object"],
  [/^Invalid type: Expected Array$/, "must be a list"],
  [/^Invalid type: Expected string$/, "must be a string"],
  [/^Invalid type: Expected number$/, "must be a number"],
  [/^Invalid type: Expected boolean$/, "must be true or false"],
  [/^Invalid type: Expected \(?(.+?)\)?$/, "must be $1"],
  [/^Invalid value: Expected >=(.+)$/, "must be at least $1"],
  [/^Invalid value: Expected <=(.+)$/, "must be at most $1"],
  [/^Invalid length: Expected !0$/, "must not be empty"],
  [/^Invalid length: Expected <=(.+)$/, "must have at most $1 UNITS"],
];

function inWords(message: string, kind: string): string {
  const [pattern, text] = words.find(([pattern]) => pattern.test(message)) ?? [];
  const units = kind === "string" ? "characters" : "entries";
  return pattern && text
    ? message.replace(pattern, text).replace("UNITS", units).replaceAll(" | ", " or ")
    : message;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
