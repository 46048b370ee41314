/** What groups and outputs validate: their schema is a variable of the template. */
import { PyDict } from "../../python/dict.ts";
import { PyError } from "../../python/errors.ts";
import { callMethod } from "../../python/methods.ts";
import { str } from "../../python/repr.ts";
import { truth, typeName, type Value } from "../../python/values.ts";
import { bindArguments, text } from "../match/arguments.ts";
import { unknownName } from "../mistakes.ts";
import { type DataFunction, decide, keep, type Runtime } from "../runtime.ts";
import { type Fault, faultsDict } from "./faults.ts";
import { validate as findFaults } from "./validator.ts";

/** The faults of the data; `undefined`: there is no such schema. */
function faultsOf(
  data: Value,
  schema: Value | undefined,
  vars: PyDict,
  unknown: Value,
  rt: Runtime,
): readonly Fault[] | undefined {
  const found = vars.get(schema ?? null) ?? null;
  if (truth(found)) return findFaults(data, found, unknown, rt);
  const name = str(schema ?? null, rt.meter);
  rt.warn(unknownName("schema", name, vars.keys().map(String)));
  return undefined;
}

/** The text with values in it; as it stands, where one is missing. */
function filledIn(info: Value, sources: readonly Value[], rt: Runtime): Value {
  const values = new Map<string, Value>();
  for (const source of sources)
    if (source instanceof PyDict)
      for (const [key, value] of source.entries()) values.set(str(key, rt.meter), value);
  try {
    return callMethod(text(info, "info"), "format", [], values, rt.meter) ?? info;
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    rt.warn(`validate: ${error.message}`);
    return info;
  }
}

const recordOf = (data: Value): PyDict => {
  if (data instanceof PyDict) return data;
  throw new PyError("DocumentError", `a record that is validated must be a dict, not ${typeName(data)}`);
};

const cerberus: DataFunction = (data, args, kwargs, rt) => {
  const [schema, log = false, unknown = true, add = false] = bindArguments(
    "cerberus",
    ["schema", "log_errors?", "allow_unknown?", "add_errors?"],
    args,
    kwargs,
  );
  const faults = faultsOf(data, schema, rt.vars, unknown, rt);
  if (faults === undefined) return keep(data);
  if (faults.length === 0) return decide(data, true);
  const errors = faultsDict(faults);
  if (truth(log)) rt.note(`cerberus: ${str(errors, rt.meter)}`);
  if (!truth(add)) return decide(data, false);
  recordOf(data).set("validation_errors", errors);
  return keep(data);
};

const validate: DataFunction = (data, args, kwargs, rt) => {
  const [schema, result = "valid", info = "", errors = "", unknown = true] = bindArguments(
    "validate",
    ["schema", "result?", "info?", "errors?", "allow_unknown?"],
    args,
    kwargs,
  );
  const faults = faultsOf(data, schema, rt.vars, unknown, rt);
  if (faults === undefined) return keep(data);
  const record = recordOf(data);
  record.set(result, faults.length === 0);
  if (truth(info)) record.set("info", filledIn(info, [rt.globals, rt.vars, record], rt));
  if (truth(errors)) record.set(errors, faultsDict(faults));
  return keep(data);
};

export const groupValidation: Readonly<Record<string, DataFunction>> = { cerberus, validate };

/** A verdict instead of each result: of `per_input` results one for each input, of a list of records one for each. */
export function validateOutput(
  data: Value,
  args: Parameters<DataFunction>[1],
  kwargs: Parameters<DataFunction>[2],
  rt: Runtime,
): Value {
  const document = (data instanceof PyDict ? data.get("_anonymous_") : undefined) ?? data;
  if (!Array.isArray(document)) return verdictOf(data, args, kwargs, rt);
  rt.meter.items(document.length);
  rt.meter.enter();
  const verdicts = document.map((one) => validateOutput(one, args, kwargs, rt));
  rt.meter.leave();
  return verdicts;
}

function verdictOf(
  data: Value,
  args: Parameters<DataFunction>[1],
  kwargs: Parameters<DataFunction>[2],
  rt: Runtime,
): Value {
  const [schema, result = "valid", add = "", info = "", errors = "", unknown = true] = bindArguments(
    "validate",
    ["schema", "result?", "add_fields?", "info?", "errors?", "allow_unknown?"],
    args,
    kwargs,
  );
  const vars = rt.output?.template?.vars ?? rt.vars;
  const document = (data instanceof PyDict ? data.get("_anonymous_") : undefined) ?? data;
  const faults = faultsOf(document, schema, vars, unknown, rt);
  if (faults === undefined) return data;
  const verdict = new PyDict();
  verdict.set(result, faults.length === 0);
  if (truth(info)) verdict.set("info", filledIn(info, [rt.globals, vars, rt.vars, data], rt));
  if (truth(errors)) verdict.set(errors, faultsDict(faults));
  for (const name of str(add, rt.meter).split(",")) {
    const field = name.trim();
    const own = data instanceof PyDict ? (data.get(field) ?? null) : null;
    const value = truth(own) ? own : (vars.get(field) ?? rt.globals.get(field));
    if (field !== "" && value !== undefined) verdict.set(field, value);
  }
  return verdict;
}
