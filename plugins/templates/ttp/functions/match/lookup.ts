/** Match functions that look up values: in tables, and in results of groups and other templates. */
import {
  attributeError,
  callMethod,
  contains,
  getItem,
  indexError,
  itemsOf,
  PyDict,
  splitAt,
  typeName,
  type Value,
} from "../../../python/index.ts";
import { keep, type Outcome, type Runtime } from "../../run/runtime.ts";
import { unknownName } from "../../template/mistakes.ts";
import { functions, isGiven, refused, remember, text } from "../functions.ts";
import { withField } from "./convert.ts";

export const dotted = (path: Value | undefined): string[] => splitAt(text(path, "a look-up path"), ".");

/** `data.get(key, {})` for each key of the path. */
export function follow(data: Value, path: readonly string[], { meter }: Pick<Runtime, "meter">): Value {
  let at = data;
  for (const key of path) {
    const next = callMethod(at, "get", [key, new PyDict()], undefined, meter);
    if (next === undefined) throw attributeError(`'${typeName(at)}' object has no attribute 'get'`);
    at = next;
  }
  return at;
}

/** Results of a template by name; of its first input if it has one result per input. */
function templateResults(path: string[], rt: Runtime): Value {
  const template = rt.templates.find((candidate) => candidate.name === path[0]);
  if (template === undefined) return new PyDict();
  path.shift();
  if (!Array.isArray(template.results)) return template.results;
  const [first] = template.results;
  if (first === undefined) throw indexError("list index out of range");
  return first;
}

/** Results of a group from previously parsed inputs. */
function groupResults(name: string, rt: Runtime): Value {
  for (const result of itemsOf(rt.template?.results ?? [], rt.meter))
    if (contains(result, name, rt.meter)) return getItem(result, name, rt.meter) ?? new PyDict();
  return new PyDict();
}

/**
 * The data for a lookup: a named table, results of a template or of a group; `undefined` if none is named.
 * @param current results of the current input, whose groups take precedence.
 */
export function tableOf(
  [name, template, group]: readonly (Value | undefined)[],
  rt: Runtime,
  current: Value = null,
): Value | undefined {
  if (isGiven(name)) return namedTable(name, rt);
  if (isGiven(template)) {
    const path = dotted(template);
    const results = templateResults(path, rt);
    return follow(results, path, rt);
  }
  if (!isGiven(group)) return undefined;
  const [first = "", ...path] = dotted(group);
  const value = current instanceof PyDict ? current.get(first) : undefined;
  return follow(value ?? groupResults(first, rt), path, rt);
}

function namedTable(name: Value | undefined, rt: Runtime): Value {
  const path = dotted(name);
  const [first = ""] = path;
  if (!rt.lookups.has(first)) rt.warn(unknownName("look-up table", first, rt.lookups.keys().map(String)));
  return follow(rt.lookups, path, rt);
}

function foundValue(data: Value, value: Value, field: Value | undefined): Outcome {
  return field === undefined || field === false ? keep(value) : withField(data, field, value);
}

export const lookupFunctions = functions<Outcome>({
  "lookup(name?, template?, group?, add_field?)": (data, args, rt) => {
    const table = tableOf(args, rt);
    const value = table === undefined ? undefined : getItem(table, data, rt.meter);
    return value === undefined ? keep(data) : foundValue(data, value, args[3]);
  },
  "rlookup(name, add_field?)": (data, [name, field], rt) => {
    const table = namedTable(name, rt);
    if (!(table instanceof PyDict)) return keep(data);
    const entry = table.entries().find(([key]) => contains(data, key, rt.meter));
    return entry === undefined || entry[1] === null ? keep(data) : foundValue(data, entry[1], field);
  },
  /** The table's values are glob patterns; the result is their key. */
  "gpvlookup(name, add_field?, record?, multimatch?)": (data, args, rt) => {
    const [name, field, record = false, multi = false] = args;
    const table = namedTable(name, rt);
    if (!(table instanceof PyDict)) {
      rt.warn("gpvlookup: the look-up is not a dictionary");
      return keep(data);
    }
    const keys: Value[] = [];
    for (const [key, patterns] of table.entries()) {
      const hits = itemsOf(patterns, rt.meter).filter((pattern) =>
        globMatches(text(data, "data"), text(pattern, "a pattern")),
      );
      for (const _ of multi === true ? hits : hits.slice(0, 1)) keys.push(key);
      if (multi !== true && hits.length > 0) break;
    }
    if (record !== false) remember(record, keys, rt);
    return keys.length === 0 ? keep(data) : foundValue(data, keys, field);
  },
  "geoip_lookup(*)": () => refused("geoip_lookup", "it needs a GeoIP2 database"),
  "dns(*)": () => refused("dns", "templates have no network"),
  "rdns(*)": () => refused("rdns", "templates have no network"),
});

/** Shell patterns as in Python's fnmatch. */
function globMatches(text: string, pattern: string): boolean {
  return globRegExp(pattern).test(text);
}

function globRegExp(pattern: string): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? "";
    if (char === "*") source += source.endsWith("[^]*") ? "" : "[^]*";
    else if (char === "?") source += "[^]";
    else if (char === "[") {
      const end = closing(pattern, at + 1);
      if (end < 0) source += "\\[";
      else {
        source += classOf(pattern.slice(at + 1, end));
        at = end;
      }
    } else source += char.replace(/[\\^$.|+(){}\]/-]/, "\\$&");
  }
  return new RegExp(`^(?:${source})$`);
}

function closing(pattern: string, from: number): number {
  let at = from;
  if (pattern[at] === "!") at++;
  if (pattern[at] === "]") at++;
  return pattern.indexOf("]", at);
}

function classOf(body: string): string {
  const negated = body.startsWith("!");
  const inside = (negated ? body.slice(1) : body).replace(/[\\\][^]/g, "\\$&");
  if (
    /(.)-(.)/.test(inside) &&
    inside
      .replace(/\\/g, "")
      .match(/(.)-(.)/g)
      ?.some((range) => (range[0] ?? "") > (range[2] ?? ""))
  )
    return "(?!)";
  return `[${negated ? "^" : ""}${inside}]`;
}
