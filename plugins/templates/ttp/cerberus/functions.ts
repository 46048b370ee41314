/** Validation functions of groups and outputs; the schema is a template variable. */

import {
  attempt,
  callMethod,
  PyDict,
  PyError,
  str,
  truth,
  typeName,
  type Value,
} from "../../python/index.ts";
import { formatValues, functions, text } from "../functions/functions.ts";
import { decide, keep, type LanguageFunction, type Outcome, type Runtime } from "../run/runtime.ts";
import { unknownName } from "../template/mistakes.ts";
import { type Fault, faultsDict } from "./faults.ts";
import { validate as findFaults } from "./validator.ts";

/** Validates the data; returns `undefined` if the schema does not exist. */
function faultsOf(
  data: Value,
  schema: Value,
  vars: PyDict,
  unknown: Value,
  rt: Runtime,
): readonly Fault[] | undefined {
  const definition = vars.get(schema) ?? null;
  if (truth(definition)) return findFaults(data, definition, unknown, rt.meter);
  rt.warn(unknownName("schema", str(schema, rt.meter), vars.keys().map(String)));
  return undefined;
}

/** Formats the text with values; returns it unchanged if one is missing. */
const filledIn = (info: Value, sources: readonly Value[], rt: Runtime): Value =>
  attempt(
    () => callMethod(text(info, "info"), "format", [], formatValues(sources, rt), rt.meter) ?? info,
    (error) => {
      rt.warn(`validate: ${error.message}`);
      return info;
    },
  );

const recordOf = (data: Value): PyDict => {
  if (data instanceof PyDict) return data;
  throw new PyError("DocumentError", `a record that is validated must be a dict, not ${typeName(data)}`);
};

/** Adds the verdict and the requested details to `into`. */
function tell(
  into: PyDict,
  faults: readonly Fault[],
  [result, info, errors]: readonly [Value, Value, Value],
  sources: readonly Value[],
  rt: Runtime,
): void {
  into.set(result, faults.length === 0);
  if (truth(info)) into.set("info", filledIn(info, sources, rt));
  if (truth(errors)) into.set(errors, faultsDict(faults));
}

export const groupValidation = functions<Outcome>({
  "cerberus(schema, log_errors?, allow_unknown?, add_errors?)": (data, args, rt) => {
    const [schema = null, log = false, unknown = true, add = false] = args;
    const faults = faultsOf(data, schema, rt.vars, unknown, rt);
    if (faults === undefined) return keep(data);
    if (faults.length === 0) return decide(data, true);
    const errors = faultsDict(faults);
    if (truth(log)) rt.note(`cerberus: ${str(errors, rt.meter)}`);
    if (!truth(add)) return decide(data, false);
    recordOf(data).set("validation_errors", errors);
    return keep(data);
  },
  "validate(schema, result?, info?, errors?, allow_unknown?)": (data, args, rt) => {
    const [schema = null, result = "valid", info = "", errors = "", unknown = true] = args;
    const faults = faultsOf(data, schema, rt.vars, unknown, rt);
    if (faults === undefined) return keep(data);
    const record = recordOf(data);
    tell(record, faults, [result, info, errors], [rt.globals, rt.vars, record], rt);
    return keep(data);
  },
});

const documentOf = (data: Value): Value =>
  (data instanceof PyDict ? data.get("_anonymous_") : undefined) ?? data;

/** Replaces each result with a verdict: one per input for `per_input` results, one per record for a list. */
export const validateOutput: LanguageFunction<Value> = (data, args, kwargs, rt) => {
  const document = documentOf(data);
  if (!Array.isArray(document)) return verdict(data, args, kwargs, rt);
  rt.meter.items(document.length);
  rt.meter.enter();
  const verdicts = document.map((item) => validateOutput(item, args, kwargs, rt));
  rt.meter.leave();
  return verdicts;
};

const outputValidation = functions<Value>({
  "validate(schema, result?, add_fields?, info?, errors?, allow_unknown?)": (data, args, rt) => {
    const [schema = null, result = "valid", add = "", info = "", errors = "", unknown = true] = args;
    const vars = rt.output?.template?.vars ?? rt.vars;
    const faults = faultsOf(documentOf(data), schema, vars, unknown, rt);
    if (faults === undefined) return data;
    const report = new PyDict();
    tell(report, faults, [result, info, errors], [rt.globals, vars, rt.vars, data], rt);
    for (const name of str(add, rt.meter).split(",")) {
      const field = name.trim();
      const fieldValue = data instanceof PyDict ? (data.get(field) ?? null) : null;
      const value = truth(fieldValue) ? fieldValue : (vars.get(field) ?? rt.globals.get(field));
      if (field !== "" && value !== undefined) report.set(field, value);
    }
    return report;
  },
});
const verdict: LanguageFunction<Value> = (data, args, kwargs, rt) =>
  outputValidation.get("validate")?.(data, args, kwargs, rt) ?? null;
