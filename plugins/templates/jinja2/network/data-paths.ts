/** Filters that read nested data by paths and find places in lists: get_path, to_paths, index_of. */
import { PyDict } from "../../python/dict.ts";
import { PyError, typeError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import type { Meter } from "../../python/limits.ts";
import { str } from "../../python/repr.ts";
import { isInt, isText, textOf, typeName, Undefined, type Value } from "../../python/values.ts";
import { getSubscript } from "../access.ts";
import type { FilterContext } from "../filter.ts";
import { type Entry, filter, flag, plainText } from "../filters/define.ts";

const PART = /\s*(?:(?:^|\.)\s*([\p{L}_][\p{L}\p{N}_]*|\d+)|\[\s*(?:(-?\d+)|'(.*?)'|"(.*?)")\s*\])/uy;

const filterError = (message: string) => new PyError("AnsibleFilterError", message);

/** `interfaces['Gi0/1'].mtu`, `routes[0]`. */
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

function getPath(value: Value, path: Value, context: FilterContext): Value {
  if (value instanceof Undefined) return value.fail();
  return partsOf(plainText(path, context)).reduce<Value>((at, part) => {
    context.meter.step();
    return getSubscript(at, part, context);
  }, value);
}

/** Every value that holds no others, by its path. */
function toPaths(value: Value, meter: Meter): Value {
  const paths = new PyDict();
  const visit = (data: Value, name: string): void => {
    meter.step();
    meter.text(name.length);
    const entries: readonly (readonly [string, Value])[] | undefined =
      data instanceof PyDict
        ? data.entries().map(([key, one]) => [memberOf(name, str(key, meter)), one])
        : Array.isArray(data)
          ? data.map((one, i) => [`${name}[${i}]`, one])
          : undefined;
    if (entries === undefined || (entries.length === 0 && name !== "")) {
      paths.set(name, data);
      return;
    }
    meter.enter();
    for (const [path, one] of entries) visit(one, path);
    meter.leave();
  };
  visit(value, "");
  return Array.isArray(value) && value.length === 0 ? [] : paths;
}

function memberOf(name: string, key: string): string {
  if (name === "") return key;
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(key) ? `${name}.${key}` : `${name}['${key}']`;
}

/** A test by name, with `!` or `not ` in front. */
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
  value: Value,
  [written = null, wanted = null, key = null, strict, list]: readonly (Value | undefined)[],
  context: FilterContext,
): Value {
  if (value instanceof Undefined) return value.fail();
  const holds = testOf(plainText(written, context), wanted, context);
  const found: number[] = [];
  itemsOf(value, context.meter).forEach((item, i) => {
    let tested: Value | undefined = item;
    if (key !== null) {
      if (!(item instanceof PyDict))
        throw filterError(`index_of: with a key the items are dictionaries, not ${typeName(item)}`);
      if (!isText(key) && !isInt(key) && typeof key !== "boolean")
        throw typeError(`index_of: a key is text or a number, not ${typeName(key)}`);
      tested = item.get(isText(key) ? textOf(key) : key);
      if (tested === undefined && flag(strict))
        throw filterError(`index_of: item ${i} has no '${str(key, context.meter)}'`);
    }
    if (tested !== undefined && holds(tested)) found.push(i);
  });
  const [only] = found;
  return found.length === 1 && only !== undefined && !flag(list) ? only : found;
}

export const pathingFilters: readonly Entry[] = [
  filter("get_path", ["path", "wantlist?"], (value, [path = null, list], context) => {
    const found = getPath(value, path, context);
    return flag(list) ? [found] : found;
  }),
  filter("to_paths", ["prepend?", "wantlist?"], (value, [prepend = null, list], context) => {
    if (value instanceof Undefined) return value.fail();
    const data = prepend === null || prepend === "" ? value : PyDict.from([[prepend, value]]);
    const paths = toPaths(data, context.meter);
    return flag(list) ? [paths] : paths;
  }),
  filter("index_of", ["test", "value?", "key?", "fail_on_missing?", "wantlist?"], indexOf),
];
