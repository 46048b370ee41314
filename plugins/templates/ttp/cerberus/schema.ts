/** Reads a Cerberus schema: aliases and shorthands of rules, and the list of known rules. */

import { type Meter, PyDict, PyError, repr, type Value } from "../../python/index.ts";
import { isTypeName } from "./types.ts";

export const LOGIC = ["anyof", "allof", "noneof", "oneof"];

const RENAMED: Readonly<Record<string, string>> = {
  keyschema: "keysrules",
  propertyschema: "keysrules",
  valueschema: "valuesrules",
};

const RULES = [
  ...LOGIC,
  ..."allow_unknown allowed contains default dependencies empty excludes forbidden items keysrules max maxlength meta".split(
    " ",
  ),
  ..."min minlength nullable readonly regex require_all required schema type valuesrules".split(" "),
];

/** Rules that run Python code or modify the document. */
const REFUSED = "check_with coerce default_setter purge_unknown rename rename_handler validator".split(" ");

export const schemaError = (message: string): PyError => new PyError("SchemaError", message);

/** Parses the rules of a field. */
export function readRules(field: Value, definition: Value, meter: Meter): ReadonlyMap<string, Value> {
  const where = repr(field, meter);
  if (!(definition instanceof PyDict)) throw schemaError(`the rules of ${where} must be a dictionary`);
  const rules = new Map<string, Value>();
  const shorthands = new Map<string, Value>();
  for (const [key, constraint] of definition.entries()) {
    meter.step();
    const name = String(key);
    const [logic = "", rest] = split(name);
    if (rest !== undefined && LOGIC.includes(logic) && Array.isArray(constraint))
      shorthands.set(
        logic,
        constraint.map((alternative) => PyDict.from([[rest, alternative]])),
      );
    else rules.set(RENAMED[name] ?? name, constraint);
  }
  // A shorthand replaces the rule that it is short for.
  for (const [logic, constraint] of shorthands) rules.set(logic, constraint);
  for (const name of rules.keys()) {
    if (REFUSED.includes(name)) throw schemaError(`the rule '${name}' of ${where} is not supported`);
    if (!RULES.includes(name)) throw schemaError(`the rule '${name}' of ${where} is unknown`);
  }
  for (const type of listed(rules.get("type")))
    if (typeof type !== "string" || !isTypeName(type))
      throw schemaError(`the type ${repr(type, meter)} of ${where} is unknown`);
  return rules;
}

/** `anyof_type` is shorthand for `anyof` over several `type` rules. */
function split(name: string): [string, string | undefined] {
  const at = name.indexOf("_");
  return at < 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}

/** Wraps a single value in a list. */
export function listed(value: Value | undefined): readonly Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
