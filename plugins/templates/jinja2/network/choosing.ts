/** Filters that decide by a value: bool, ternary, mandatory, type_debug. */
import { eq } from "../../python/equal.ts";
import { PyError } from "../../python/errors.ts";
import { isText, textOf, truth, typeName, Undefined, type Value } from "../../python/values.ts";
import { type Entry, filter, plainText } from "../filters/define.ts";

const YES = ["yes", "on", "1", "true"];

/** The truth that a text or a number is meant to say. */
export function meantTruth(value: Value): boolean | null {
  if (value === null || typeof value === "boolean") return value;
  if (value instanceof Undefined) return value.truth();
  return isText(value) ? YES.includes(textOf(value).toLowerCase()) : eq(value, 1);
}

export const choosingFilters: readonly Entry[] = [
  filter("bool", [], meantTruth),
  filter("ternary", ["true_val", "false_val", "none_val?"], (value, [yes = null, no = null, none = null]) => {
    if (value === null && none !== null) return none;
    return truth(value) ? yes : no;
  }),
  filter("mandatory", ["msg?"], (value, [message = null], context) => {
    if (!(value instanceof Undefined)) return value;
    const name = value.missed === undefined ? "" : ` '${value.missed}'`;
    throw new PyError(
      "AnsibleFilterError",
      message === null ? `the mandatory variable${name} is not defined` : plainText(message, context),
    );
  }),
  filter("type_debug", [], (value) => typeName(value)),
];
