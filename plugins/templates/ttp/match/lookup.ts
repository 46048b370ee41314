/** Match functions that look values up: tables of the template, results of groups and other templates. */
import { contains } from "../../python/compare.ts";
import { PyDict } from "../../python/dict.ts";
import { PyError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import { callMethod } from "../../python/methods.ts";
import { getItem } from "../../python/slice.ts";
import { truth, typeName, type Value } from "../../python/values.ts";
import { unknownName } from "../mistakes.ts";
import { type DataFunction, keep, type Outcome, type Runtime } from "../runtime.ts";
import { bindArguments, text } from "./arguments.ts";
import { withField } from "./convert.ts";
import { globMatches } from "./glob.ts";

export const dotted = (path: Value | undefined): string[] =>
  text(path, "a look-up path")
    .split(".")
    .map((one) => one.trim());

/** `data.get(key, {})` along the path. */
export function follow(data: Value, path: readonly string[], rt: Runtime): Value {
  let at = data;
  for (const key of path) {
    const next = callMethod(at, "get", [key, new PyDict()], undefined, rt.meter);
    if (next === undefined)
      throw new PyError("AttributeError", `'${typeName(at)}' object has no attribute 'get'`);
    at = next;
  }
  return at;
}

/** Results of the template of that name, of its first input where it has one result each. */
export function templateResults(path: string[], rt: Runtime): Value {
  const found = rt.templates.find((one) => one.name === path[0]);
  if (found === undefined) return new PyDict();
  path.shift();
  if (!Array.isArray(found.results)) return found.results;
  const [first] = found.results;
  if (first === undefined) throw new PyError("IndexError", "list index out of range");
  return first;
}

/** Results of a group for inputs that were parsed before. */
export function groupResults(name: string, rt: Runtime): Value {
  const results = rt.template?.results;
  for (const result of results === undefined || results === null ? [] : itemsOf(results, rt.meter))
    if (contains(result, name, rt.meter)) return getItem(result, name, rt.meter) ?? new PyDict();
  return new PyDict();
}

const lookup: DataFunction = (data, args, kwargs, rt) => {
  const [name, template, group, field] = bindArguments(
    "lookup",
    ["name?", "template?", "group?", "add_field?"],
    args,
    kwargs,
  );
  let table: Value;
  let path: string[];
  if (given(name)) {
    path = dotted(name);
    warnOfTable(path, rt);
    table = rt.lookups;
  } else if (given(template)) {
    path = dotted(template);
    table = templateResults(path, rt);
  } else if (given(group)) {
    path = dotted(group);
    table = groupResults(path.shift() ?? "", rt);
  } else return keep(data);
  const found = follow(table, path, rt);
  const value = getItem(found, data, rt.meter);
  return value === undefined ? keep(data) : foundValue(data, value, field);
};

/** Before the path is followed. */
export function warnOfTable([name = ""]: readonly string[], { lookups, warn }: Runtime): void {
  if (!lookups.has(name)) warn(unknownName("look-up table", name, lookups.keys().map(String)));
}

const given = (value: Value | undefined): value is Value => value !== undefined && truth(value);

function foundValue(data: Value, value: Value, field: Value | undefined): Outcome {
  return field === undefined || field === false ? keep(value) : withField(data, field, value);
}

const rlookup: DataFunction = (data, args, kwargs, rt) => {
  const [name, field] = bindArguments("rlookup", ["name", "add_field?"], args, kwargs);
  warnOfTable(dotted(name), rt);
  const table = follow(rt.lookups, dotted(name), rt);
  if (!(table instanceof PyDict)) return keep(data);
  const entry = table.entries().find(([key]) => contains(data, key, rt.meter));
  return entry === undefined || entry[1] === null ? keep(data) : foundValue(data, entry[1], field);
};

/** Glob patterns are the values, what is found are keys. */
const gpvlookup: DataFunction = (data, args, kwargs, rt) => {
  const [name, field, record = false, multi = false] = bindArguments(
    "gpvlookup",
    ["name", "add_field?", "record?", "multimatch?"],
    args,
    kwargs,
  );
  warnOfTable(dotted(name), rt);
  const table = follow(rt.lookups, dotted(name), rt);
  if (!(table instanceof PyDict)) {
    rt.warn("gpvlookup: the look-up is no dictionary");
    return keep(data);
  }
  const found: Value[] = [];
  for (const [key, patterns] of table.entries()) {
    const hits = itemsOf(patterns, rt.meter).filter((one) =>
      globMatches(text(data, "data"), text(one, "a pattern")),
    );
    if (multi === true) for (const _ of hits) found.push(key);
    else if (hits.length > 0) {
      found.push(key);
      break;
    }
  }
  if (record !== false) {
    rt.vars.set(record, found);
    rt.globals.set(record, found);
  }
  return found.length === 0 ? keep(data) : foundValue(data, found, field);
};

function refused(name: string, why: string): DataFunction {
  return () => {
    throw new PyError("RuntimeError", `${name} is not supported: ${why}`);
  };
}

export const lookupFunctions: Readonly<Record<string, DataFunction>> = {
  lookup,
  rlookup,
  gpvlookup,
  geoip_lookup: refused("geoip_lookup", "it needs a GeoIP2 database"),
  dns: refused("dns", "templates have no network"),
  rdns: refused("rdns", "templates have no network"),
};
