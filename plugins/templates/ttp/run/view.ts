/** `_ttp_`: the only view that macros have of a running template. */

import {
  type Meter,
  PyDict,
  PyError,
  PyFunction,
  PyObject,
  PyTuple,
  repr,
  type Value,
} from "../../python/index.ts";
import { groupFunctions } from "../functions/group/index.ts";
import { matchFunctions } from "../functions/match/index.ts";
import type { DataFunction, Runtime } from "./runtime.ts";

/** An object whose attributes or keys come from a table. */
class Reader extends PyObject {
  constructor(
    override readonly typeName: string,
    private readonly read: (name: string) => Value | undefined,
    private readonly byKey: boolean,
  ) {
    super();
  }
  override getattr(name: string, meter: Meter): Value | undefined {
    if (!this.byKey) return this.read(name);
    if (name !== "get") return undefined;
    return new PyFunction("get", ([key = null, fallback = null]) => this.getitem(key, meter) ?? fallback);
  }
  override getitem(key: Value, meter: Meter): Value | undefined {
    if (!this.byKey) throw new PyError("TypeError", `'${this.typeName}' object is not subscriptable`);
    return typeof key === "string" ? this.read(key) : this.read(repr(key, meter));
  }
  override contains(item: Value): boolean {
    return this.byKey && typeof item === "string" && this.read(item) !== undefined;
  }
}

const attributes = (typeName: string, read: (name: string) => Value | undefined) =>
  new Reader(typeName, read, false);
const keys = (read: (name: string) => Value | undefined) => new Reader("dict", read, true);

/** TTP's functions as Python functions, which return value and flag. */
function functions(table: ReadonlyMap<string, DataFunction>, runtime: () => Runtime): Value {
  return keys((name) => {
    const body = table.get(name);
    if (body === undefined) return undefined;
    return new PyFunction(name, ([data = null, ...args], kwargs) => {
      const { data: result, flag } = body(data, args, kwargs ?? new Map(), runtime());
      const flagValue: Value = flag instanceof PyDict ? PyDict.from([["new_field", flag]]) : flag;
      return new PyTuple([result, flagValue]);
    });
  });
}

export function createView(runtime: () => Runtime): Value {
  const parser = attributes("_parser_class", (name) => {
    const rt = runtime();
    switch (name) {
      case "vars":
        return rt.vars;
      case "lookups":
        return rt.lookups;
      case "main_results":
        return rt.mainResults;
      case "DATATEXT":
        return rt.dataText;
      case "DATANAME":
        return rt.dataName;
    }
    return undefined;
  });
  const template = attributes("_template_class", (name) => {
    const template = runtime().template;
    if (name === "name") return template?.name;
    if (name === "results") return template?.results;
    return name === "vars" ? template?.vars : undefined;
  });
  const output = attributes("_outputter_class", (name) => {
    const output = runtime().output;
    if (name === "name") return output?.name;
    if (name === "attributes") return output?.attributes;
    return name === "tag_load" ? output?.load : undefined;
  });
  const results = attributes("_results_class", (name) => {
    const record = runtime().results?.record;
    if (name !== "record" || record === undefined) return undefined;
    return PyDict.from([
      ["result", record.result],
      ["PATH", record.path.map((step) => (typeof step === "string" ? step : step.name + step.stars))],
      ["DEFAULTS", PyDict.from(record.defaults)],
    ]);
  });
  const macros = keys((name) => runtime().macros.get(name));
  const members: Readonly<Record<string, () => Value>> = {
    vars: () => runtime().vars,
    global_vars: () => runtime().globals,
    macro: () => macros,
    match: () => functions(matchFunctions, runtime),
    group: () => functions(groupFunctions, runtime),
    parser_object: () => parser,
    template_obj: () => template,
    output_object: () => output,
    results_object: () => results,
    python_major_version: () => 3,
  };
  return keys((name) => (Object.hasOwn(members, name) ? members[name]?.() : undefined));
}
