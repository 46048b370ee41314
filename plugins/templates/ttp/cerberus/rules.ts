/** Rules that check a single value; they return the error message, if any. */

import {
  attempt,
  compare,
  contains,
  itemsOf,
  keptPattern,
  type Meter,
  PyDict,
  PySet,
  repr,
  str,
  textLength,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import { listed, schemaError } from "./schema.ts";
import { isCollection, isOfType } from "./types.ts";

type Rule = (value: Value, constraint: Value, meter: Meter) => string | undefined;

/** Values that cannot be compared are left to the rule `type`. */
const isBeyond = (op: "<" | ">", value: Value, limit: Value): boolean =>
  attempt(
    () => compare(op, value, limit),
    () => false,
    "TypeError",
  );

export function lengthOf(value: Value, meter: Meter): number | undefined {
  if (typeof value === "string") return textLength(value);
  return isCollection(value) ? itemsOf(value, meter).length : undefined;
}

function lengthRule(words: string, isFault: (length: number, limit: number) => boolean): Rule {
  return (value, limit, meter) => {
    const length = lengthOf(value, meter);
    if (typeof limit !== "number") throw schemaError(`a length must be an int, not ${typeName(limit)}`);
    return length !== undefined && isFault(length, limit) ? `${words} is ${limit}` : undefined;
  };
}

const among = (values: readonly Value[], container: Value, meter: Meter, isContained: boolean): Value[] => [
  ...new PySet(values.filter((value) => contains(container, value, meter) === isContained)).values(),
];

function allowing(isAllowed: boolean): Rule {
  return (value, allowed, meter) => {
    if (!isCollection(value) || (!isAllowed && (value instanceof PyDict || value instanceof PySet)))
      return contains(allowed, value, meter) === isAllowed
        ? undefined
        : `unallowed value ${str(value, meter)}`;
    const wrong = among(itemsOf(value, meter), allowed, meter, !isAllowed);
    return wrong.length === 0 ? undefined : `unallowed values ${repr(wrong, meter)}`;
  };
}

export const valueRules: Readonly<Record<string, Rule>> = {
  allowed: allowing(true),
  forbidden: allowing(false),
  max: (value, limit, meter) =>
    isBeyond(">", value, limit) ? `max value is ${str(limit, meter)}` : undefined,
  min: (value, limit, meter) =>
    isBeyond("<", value, limit) ? `min value is ${str(limit, meter)}` : undefined,
  maxlength: lengthRule("max length", (length, limit) => length > limit),
  minlength: lengthRule("min length", (length, limit) => length < limit),
  contains(value, required, meter) {
    if (typeof value !== "string" && !isCollection(value)) return undefined;
    const requiredItems = isCollection(required) ? itemsOf(required, meter) : [required];
    const missing = among(requiredItems, [...itemsOf(value, meter)], meter, false);
    return missing.length === 0 ? undefined : `missing members ${repr(new PySet(missing), meter)}`;
  },
  regex(value, pattern, meter) {
    if (typeof pattern !== "string") throw typeError("a regex must be text");
    if (typeof value !== "string") return undefined;
    const anchored = pattern.endsWith("$") ? pattern : `${pattern}$`;
    return keptPattern(anchored).match(value) === null
      ? `value does not match regex '${str(pattern, meter)}'`
      : undefined;
  },
  type: (value, type, meter) =>
    type === null || listed(type).some((name) => isOfType(value, String(name)))
      ? undefined
      : `must be of ${str(type, meter)} type`,
};
