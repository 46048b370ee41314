/** NAPALM's validation source for `compliance_report`, given as data and validated before the device is queried. */
import { patternFault } from "patchbay/plugin";
import * as v from "valibot";
import { type Method, methodArguments } from "./methods.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface ComplianceCheck {
  /** Name in the report: `_name`, or the method. */
  readonly name: string;
  readonly method: Method;
  /** Validated by the schema of the method. */
  readonly args: unknown;
  readonly expected: Fields;
}

export interface SourceFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const maxValues = 100_000;
/** Validating each one takes 50 µs. */
const maxExpressions = 5_000;
/** Text that is no regular expression except for the dot; most expected values are. */
const plainText = /^[\w\s.,:/@-]*$/;
const deepest = 50;

const head = v.looseObject({
  _name: v.optional(v.string("must be a string")),
  _kwargs: v.optional(v.record(v.string(), v.unknown(), "must be an object"), {}),
});

const isMethod = (name: string): name is Method => Object.hasOwn(methodArguments, name);

/** An entry is one method, or several. */
export function readValidation(source: readonly Fields[]): {
  readonly checks: readonly ComplianceCheck[];
  readonly faults: readonly SourceFault[];
} {
  const checks: ComplianceCheck[] = [];
  const faults: SourceFault[] = [];
  const budget = { values: maxValues, expressions: maxExpressions };
  for (const [at, entry] of source.entries())
    for (const [method, value] of Object.entries(entry)) {
      const path = [at, method.slice(0, 64)];
      const fault = (message: string, ...more: (string | number)[]) =>
        faults.push({ path: [...path, ...more], message });
      if (!isMethod(method)) {
        fault("is not a method that queries the device");
        continue;
      }
      const read = v.safeParse(head, value);
      if (!read.success) {
        fault(read.issues[0].message, ...(v.getDotPath(read.issues[0])?.split(".") ?? []));
        continue;
      }
      const { _name, _kwargs, ...expected } = read.output;
      const args = v.safeParse(methodArguments[method], _kwargs);
      if (!args.success) fault(args.issues[0].message, "_kwargs", v.getDotPath(args.issues[0]) ?? "");
      faults.push(...faultsIn(expected, path, budget));
      checks.push({ name: _name ?? method, method, args: args.output, expected });
    }
  return { checks, faults };
}

/** `<5`, `>=10.5`. */
export const comparison = /^(<=|>=|<|>)\s*(-?\d+(?:\.\d+)?)$/;
/** `10%20`: 20 within ten percent. */
export const tolerance = /^(\d+)%(\d+)$/;
/** `10<->20`. */
export const range = /^\s*(-?\d+(?:\.\d+)?)\s*<->\s*(-?\d+(?:\.\d+)?)\s*$/;

function faultsIn(
  value: unknown,
  path: readonly (string | number)[],
  budget: { values: number; expressions: number },
): SourceFault[] {
  if (--budget.values === 0) return [{ path: [], message: `must not contain more than ${maxValues} values` }];
  if (budget.values < 0) return [];
  if (path.length > deepest) return [{ path, message: `is nested deeper than ${deepest} levels` }];
  if (typeof value === "string") {
    if (!plainText.test(value) && --budget.expressions < 0)
      return budget.expressions < -1
        ? []
        : [{ path: [], message: `must not contain more than ${maxExpressions} expressions` }];
    const fault = textFault(value);
    return fault === undefined ? [] : [{ path, message: fault }];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const place = [...path, key.slice(0, 64)];
    if (key === "_mode")
      return member === "strict" ? [] : [{ path: place, message: 'must be "strict" or absent' }];
    return faultsIn(member, place, budget);
  });
}

function textFault(text: string): string | undefined {
  if (text === "" || range.test(text) || tolerance.test(text)) return undefined;
  if (/^[<>]/.test(text)) return comparison.test(text) ? undefined : "must compare with a number";
  return patternFault(text);
}
