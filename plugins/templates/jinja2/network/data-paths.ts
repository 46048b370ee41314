/** Filters for paths into nested data and positions in lists: get_path, to_paths, index_of. */

import {
  isInt,
  isText,
  type Meter,
  PyDict,
  str,
  textOf,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import { define, type FilterEntries, filterError } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";
import { getSubscript } from "../run/access.ts";

const PART = /\s*(?:(?:^|\.)\s*([\p{L}_][\p{L}\p{N}_]*|\d+)|\[\s*(?:(-?\d+)|'(.*?)'|"(.*?)")\s*\])/uy;

/** Parses a path such as `interfaces['Gi0/1'].mtu`, `routes[0]`. */
function partsOf(path: string): (string | number)[] {
  const parts: (string | number)[] = [];
  const end = path.trimEnd().length;
  PART.lastIndex = 0;
  while (PART.lastIndex < end) {
    const match = PART.exec(path);
    if (match === null) throw filterError(`get_path: can't read the path '${path}'`);
    const [, name, index, single, double] = match;
    if (index !== undefined) parts.push(Number(index));
    else if (name !== undefined) parts.push(/^\d/.test(name) ? Number(name) : name);
    else parts.push(single ?? double ?? "");
  }
  if (parts.length === 0) throw filterError("get_path: the path is empty");
  return parts;
}

function getPath(value: Value, path: string, list: boolean, context: FilterContext): Value {
  let current = value;
  for (const part of partsOf(path)) {
    context.meter.step();
    current = getSubscript(current, part, context);
  }
  return list ? [current] : current;
}

/** All leaf values by path. */
function pathsOf(value: Value, meter: Meter): Value {
  const paths = new PyDict();
  const visit = (data: Value, name: string): void => {
    meter.step();
    meter.text(name.length);
    let entries: readonly (readonly [string, Value])[] | undefined;
    if (data instanceof PyDict)
      entries = data.entries().map(([key, item]) => [memberOf(name, str(key, meter)), item]);
    else if (Array.isArray(data)) entries = data.map((item, i) => [`${name}[${i}]`, item]);
    if (entries === undefined || (entries.length === 0 && name !== "")) {
      paths.set(name, data);
      return;
    }
    meter.enter();
    for (const [path, item] of entries) visit(item, path);
    meter.leave();
  };
  visit(value, "");
  return Array.isArray(value) && value.length === 0 ? [] : paths;
}

function memberOf(name: string, key: string): string {
  if (name === "") return key;
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(key) ? `${name}.${key}` : `${name}['${key}']`;
}

/** Looks up a test by name; a leading `!` or `not ` negates it. */
function testOf(written: string, value: Value, context: FilterContext): (item: Value) => boolean {
  const negated = /^(?:!|not )/.test(written);
  const bare = negated ? written.replace(/^(?:!+|(?:not )+)/, "").trim() : written;
  const name = negated && bare === "=" ? "==" : bare;
  const test = context.run.tests.get(name);
  if (test === undefined) throw filterError(`index_of: there is no test '${name}'`);
  const right = name === "in" && !Array.isArray(value) ? [value] : value;
  const args = right === null ? [] : [right];
  return (item) => {
    context.meter.step();
    return test(item, args, undefined, context) !== negated;
  };
}

function indexOf(
  items: readonly Value[],
  written: string,
  expected: Value,
  key: Value,
  strict: boolean,
  list: boolean,
  context: FilterContext,
): Value {
  const holds = testOf(written, expected, context);
  const matches: number[] = [];
  items.forEach((item, i) => {
    let tested: Value | undefined = item;
    if (key !== null) {
      if (!(item instanceof PyDict))
        throw filterError(`index_of: with a key the items are dictionaries, not ${typeName(item)}`);
      if (!isText(key) && !isInt(key) && typeof key !== "boolean")
        throw typeError(`index_of: a key is text or a number, not ${typeName(key)}`);
      tested = item.get(isText(key) ? textOf(key) : key);
      if (tested === undefined && strict)
        throw filterError(`index_of: item ${i} has no '${str(key, context.meter)}'`);
    }
    if (tested !== undefined && holds(tested)) matches.push(i);
  });
  const [only] = matches;
  return matches.length === 1 && only !== undefined && !list ? only : matches;
}

export const dataPathFilters: FilterEntries = [
  define("get_path", "defined", "path: text, wantlist: flag = false", getPath),
  define("to_paths", "defined", "prepend = '', wantlist: flag = false", (value, prepend, list, { meter }) => {
    const rooted = prepend === null || prepend === "" ? value : PyDict.from([[prepend, value]]);
    return list ? [pathsOf(rooted, meter)] : pathsOf(rooted, meter);
  }),
  define(
    "index_of",
    "items",
    "test: text, value = none, key = none, fail_on_missing: flag = false, wantlist: flag = false",
    indexOf,
  ),
].flat();
