/** The output function `deepdiff`: compares results with a variable, another template or another input. */

import {
  eq,
  type Kwargs,
  PyDict,
  PyError,
  str,
  truth,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import type { Runtime } from "../run/runtime.ts";
import { unknownName } from "../template/mistakes.ts";
import { deepDiff } from "./diff.ts";

const NAMES = ["input_before", "input_after", "template_before", "mode", "add_field", "var_before"];

/** DeepDiff arguments whose default values are accepted. */
const DEFAULTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...[
    ...["ignore_order", "report_repetition", "ignore_string_type_changes", "ignore_numeric_type_changes"],
    ...["ignore_string_case", "ignore_nan_inequality", "ignore_type_subclasses", "get_deep_distance"],
  ].map((name): [string, Value] => [name, false]),
  ...[
    ...["exclude_paths", "exclude_regex_paths", "include_paths", "exclude_types", "exclude_obj_callback"],
    ...["significant_digits", "truncate_datetime", "ignore_type_in_groups", "hasher", "math_epsilon"],
    ...["iterable_compare_func", "number_to_string_func"],
  ].map((name): [string, Value] => [name, null]),
  ["ignore_private_variables", true],
  ["number_format_notation", "f"],
  ["view", "text"],
]);

function refuseOther(name: string, value: Value): void {
  if (NAMES.includes(name) || name === "verbose_level") return;
  const defaultValue = DEFAULTS.get(name);
  if (defaultValue === undefined) {
    const names = [...NAMES, "verbose_level", ...DEFAULTS.keys()];
    throw new PyError("TypeError", `deepdiff: ${unknownName("argument", name, names)}`);
  }
  if (!eq(defaultValue, value))
    throw new PyError("RuntimeError", `deepdiff: '${name}' is supported at its default only`);
}

export function deepdiffOutput(data: Value, args: readonly Value[], kwargs: Kwargs, rt: Runtime): Value {
  const options = new Map<string, Value>(kwargs);
  args.forEach((value, i) => {
    options.set(NAMES[i] ?? "", value);
  });
  const verbose = options.get("verbose_level") ?? 1;
  for (const [name, value] of options) refuseOther(name, value);
  if (verbose !== 1 && verbose !== 2)
    throw new PyError("RuntimeError", "deepdiff: verbose_level is 1 or 2 here");

  const text = (name: string): string | undefined => {
    const value = options.get(name) ?? null;
    return truth(value) ? str(value, rt.meter) : undefined;
  };
  const ofInput = (name: string): Value[] => {
    const places = rt.output?.inputPlaces()?.get(name);
    if (places === undefined || !Array.isArray(data))
      throw new PyError("KeyError", `deepdiff: there are no results of an input '${name}'`);
    return places.map((place) => data[place] ?? null);
  };

  const [inputBefore, inputAfter] = [text("input_before"), text("input_after")];
  if (inputBefore !== undefined && rt.output?.inputPlaces() === undefined) {
    rt.warn("deepdiff: with per_template results there are no results of one input");
    return data;
  }
  const before = inputBefore === undefined ? otherResults(text, rt) : ofInput(inputBefore);
  const after = inputAfter === undefined ? data : ofInput(inputAfter);

  const mode = text("mode") ?? "bulk";
  let result: Value;
  if (mode === "bulk") result = deepDiff(before, after, verbose === 2, rt.meter);
  else if (mode === "iterate") {
    const [first] = Array.isArray(before) ? before : [];
    if (first === undefined || !Array.isArray(after)) throw typeError("deepdiff: 'iterate' compares lists");
    result = after.map((later) => deepDiff(first, later, verbose === 2, rt.meter));
  } else {
    rt.warn(`deepdiff: the mode '${mode}' is neither 'bulk' nor 'iterate'`);
    return data;
  }
  return placed(result, data, text("add_field"));
}

function otherResults(text: (name: string) => string | undefined, rt: Runtime): Value {
  const [template, variable] = [text("template_before"), text("var_before")];
  if (template !== undefined) {
    const found = rt.templates.find((candidate) => candidate.name === template);
    if (found !== undefined) return found.results;
    throw new PyError("KeyError", `deepdiff: there is no template '${template}'`);
  }
  const vars = rt.output?.template?.vars ?? rt.vars;
  const value = variable === undefined ? undefined : (vars.get(variable) ?? rt.vars.get(variable));
  if (value !== undefined) return value;
  throw new PyError("KeyError", `deepdiff: there is no variable '${variable ?? ""}' to compare with`);
}

/** Adds the differences to the results as a field, or returns them instead. */
function placed(result: Value, data: Value, field: string | undefined): Value {
  if (field === undefined) return result;
  if (Array.isArray(data)) data.push(PyDict.from([[field, result]]));
  else if (data instanceof PyDict) data.set(field, result);
  else throw typeError(`deepdiff: results of type ${typeName(data)} have no fields`);
  return data;
}
