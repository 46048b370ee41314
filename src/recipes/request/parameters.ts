/** Checks the values of a run against the parameters of its recipe. Pure. */
import { type RecipeParameter, type RecipeParameters, recipeLimits } from "../../api/recipes/recipe.ts";
import type { Unchanged } from "../../api/schema.ts";
import type { Issue } from "../../base/issues.ts";
import { linearPattern } from "../../base/regex/linear.ts";
import { shortestSecret } from "../../base/secrets/mask.ts";
import { isSecretName } from "../../base/secrets/secret-name.ts";
import { suggestion } from "../../base/text/near-names.ts";

export type Value = string | number | boolean | readonly (string | number)[];
export type Values = Readonly<Record<string, Value>>;

type Single = Pick<
  RecipeParameter,
  "enum" | "format" | "minimum" | "maximum" | "minLength" | "maxLength" | "pattern"
> & { readonly type: RecipeParameter["type"] };

/** Names that the inventory knows; without it, formats are not checked. */
export interface KnownNames {
  hasDevice(name: string): boolean;
  hasGroup(name: string): boolean;
}

const controls = /[\0-\x1f\x7f\u0085\u2028\u2029]/;
const controlsOfTexts = /[\0-\x08\x0b-\x1f\x7f]/;

/** What is wrong with the parameters themselves: limits that exclude their own default, and words for other types. */
export function parameterIssues({ properties, required }: RecipeParameters): Issue[] {
  const issues: Issue[] = [];
  for (const [name, one] of Object.entries(properties)) {
    const path = `parameters.properties.${name}`;
    const misplaced = (word: keyof RecipeParameter, type: string, isFitting: boolean) => {
      if (!isFitting && given(one[word]) !== undefined)
        issues.push({ path: `${path}.${word}`, message: `is for the type ${type}` });
    };
    for (const word of ["minimum", "maximum"] as const)
      misplaced(word, "integer or number", one.type === "integer" || one.type === "number");
    for (const word of ["minLength", "maxLength", "pattern", "format"] as const)
      misplaced(word, "string", one.type === "string");
    for (const word of ["items", "minItems", "maxItems"] as const)
      misplaced(word, "array", one.type === "array");
    if (one.type === "array" && given(one.items) === undefined)
      issues.push({ path: `${path}.items`, message: "is required for the type array" });
    if (given(one.items)?.format === "secret")
      issues.push({ path: `${path}.items.format`, message: "is for single values" });
    if (isSecret(one)) issues.push(...secretIssues(name, one));
    if (given(one.default) !== undefined) {
      const fault = faultOf(one.default, one);
      if (fault !== undefined) issues.push({ path: `${path}.default`, message: fault });
    }
    for (const [at, value] of (one.enum ?? []).entries()) {
      const fault =
        one.type === "array" ? "is for single values" : singleFault(value, { ...one, enum: null });
      if (fault !== undefined) issues.push({ path: `${path}.enum.${at}`, message: fault });
    }
  }
  for (const [at, name] of (required ?? []).entries())
    if (!Object.hasOwn(properties, name))
      issues.push({ path: `parameters.required.${at}`, message: "is no parameter" });
  return issues;
}

/** @returns the values with defaults, or what is wrong with them; values are never repeated */
export function valuesOf(
  parameters: RecipeParameters | null | undefined,
  input: Readonly<Record<string, unknown>>,
  known?: KnownNames,
): { readonly values: Values } | { readonly issues: readonly Issue[] } {
  const { properties, required }: Omit<RecipeParameters, "type"> = parameters ?? { properties: {} };
  const issues: Issue[] = [];
  const values: Record<string, Value> = {};
  for (const name of Object.keys(input))
    if (!Object.hasOwn(properties, name))
      issues.push({
        path: `parameters.${name}`,
        message: `is not a parameter of this recipe.${suggestion(name, Object.keys(properties))}`,
      });
  for (const [name, one] of Object.entries(properties)) {
    const path = `parameters.${name}`;
    const value = (Object.hasOwn(input, name) ? given(input[name]) : undefined) ?? given(one.default);
    if (value === undefined) {
      if (required?.includes(name)) issues.push({ path, message: "is required" });
      continue;
    }
    const fault = faultOf(value, one) ?? unknownName(value, one, known);
    if (fault === undefined) values[name] = value as Value;
    else issues.push({ path, message: fault });
  }
  return issues.length > 0 ? { issues } : { values };
}

const isSecret = (one: { readonly format?: RecipeParameter["format"] }) => one.format === "secret";

export function secretNames(parameters: Unchanged<RecipeParameters> | null | undefined): ReadonlySet<string> {
  const all = Object.entries(parameters?.properties ?? {});
  return new Set(all.flatMap(([name, one]) => (isSecret(one) ? [name] : [])));
}

/** Templates, records and outputs know a secret by the name of its member. */
function secretIssues(name: string, one: RecipeParameter): Issue[] {
  const path = `parameters.properties.${name}`;
  const misplaced = (["default", "enum"] as const).filter((word) => given(one[word]) !== undefined);
  return [
    ...(isSecretName(name)
      ? []
      : [{ path, message: "must have the name of a secret, such as `new_password`, by which it is masked" }]),
    ...misplaced.map((word) => ({ path: `${path}.${word}`, message: "would show the secret" })),
  ];
}

/** A value that fits, to check requests with: the default, the first allowed one, or the least. */
export function sampleOf({ default: usual, enum: allowed, ...one }: RecipeParameter): Value {
  const first = given(usual) ?? allowed?.[0];
  if (first !== undefined) return first as Value;
  if (one.type === "boolean") return true;
  if (one.type === "array")
    return one.items?.type === "string" ? [one.items.enum?.[0] ?? "x"].map(String) : [1];
  if (one.type === "string") return "x".repeat(Math.max(1, Math.min(one.minLength ?? 1, 100)));
  return one.minimum ?? Math.min(1, one.maximum ?? 1);
}

const given = <T>(value: T): NonNullable<T> | undefined => value ?? undefined;

function faultOf(value: unknown, one: RecipeParameter): string | undefined {
  if (one.type !== "array") return singleFault(value, one);
  if (!Array.isArray(value)) return "must be a list";
  const { items, minItems, maxItems } = one;
  const most = Math.min(maxItems ?? recipeLimits.values, recipeLimits.values);
  if (value.length < (minItems ?? 0)) return `must have at least ${minItems} entries`;
  if (value.length > most) return `must have at most ${most} entries`;
  for (const [at, entry] of value.entries()) {
    const fault = items && singleFault(entry, items);
    if (fault) return `${fault} (entry ${at + 1})`;
  }
  return undefined;
}

function singleFault(value: unknown, one: Single): string | undefined {
  const allowed = given(one.enum);
  if (allowed !== undefined && !allowed.some((entry) => entry === value))
    return "is not one of the allowed values";
  if (one.type === "boolean") return typeof value === "boolean" ? undefined : "must be true or false";
  if (one.type === "string") return textFault(value, one);
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (one.type === "integer" && !Number.isSafeInteger(value)) return "must be a whole number";
  if (value < (one.minimum ?? -Infinity)) return `must be at least ${one.minimum}`;
  if (value > (one.maximum ?? Infinity)) return `must be at most ${one.maximum}`;
  return undefined;
}

function textFault(value: unknown, one: Single): string | undefined {
  if (typeof value !== "string") return "must be a string";
  const most = Math.min(one.maxLength ?? recipeLimits.valueChars, recipeLimits.valueChars);
  if (value.length < (one.minLength ?? 0)) return `must have at least ${one.minLength} characters`;
  if (value.length > most) return `must have at most ${most} characters`;
  // A line break would begin another command.
  if (isSecret(one) && value.length < shortestSecret)
    return `must have at least ${shortestSecret} characters: a shorter one cannot be masked`;
  const isText = one.format === "multiline";
  if ((isText ? controlsOfTexts : controls).test(value))
    return isText ? "must not hold control characters" : "must be one line without control characters";
  if (given(one.pattern) !== undefined && !linearPattern(one.pattern ?? "").test(value))
    return `must match ${one.pattern}`;
  return undefined;
}

function unknownName(
  value: unknown,
  one: RecipeParameter,
  known: KnownNames | undefined,
): string | undefined {
  const { format } = one.type === "array" ? (one.items ?? {}) : one;
  if (known === undefined || (format !== "device" && format !== "group")) return undefined;
  const isKnown = format === "device" ? known.hasDevice : known.hasGroup;
  const names = Array.isArray(value) ? value : [value];
  return names.every((name) => isKnown(String(name))) ? undefined : `names a ${format} that is not there`;
}
