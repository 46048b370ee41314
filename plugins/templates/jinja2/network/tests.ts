/** Ansible's tests besides Jinja2's own. */

import { contains, eq, isText, type Meter, PyFloat, textOf, truth, type Value } from "../../python/index.ts";
import { define, type TestEntries } from "../filters/define.ts";
import { membersOf } from "./combine.ts";
import { pathTests } from "./paths.ts";
import { regexTests } from "./regex.ts";
import { versionTests } from "./version.ts";

const isSubset = (inner: readonly Value[], outer: readonly Value[], meter: Meter): boolean =>
  inner.every(membersOf(outer, meter));

const YES = ["y", "yes", "on", "1", "true", "t"];
const NO = ["n", "no", "off", "0", "false", "f"];

/** The boolean that a word or number stands for; `undefined` if it is neither true nor false. */
function saidTruth(value: Value): boolean | undefined {
  if (isText(value)) {
    const word = textOf(value).toLowerCase().trim();
    return YES.includes(word) ? true : NO.includes(word) ? false : undefined;
  }
  return eq(value, 1) ? true : eq(value, 0) ? false : undefined;
}

const isTruthy = (value: Value, convert: boolean): boolean =>
  truth(convert ? (saidTruth(value) ?? value) : value);

export const builtinTests: TestEntries = [
  regexTests,
  versionTests,
  pathTests,
  define("contains", "any", "value", (value, item, { meter }) => contains(value, item, meter)),
  define("subset issubset", "items", "b: items", (a, b, { meter }) => isSubset(a, b, meter)),
  define("superset issuperset", "items", "b: items", (a, b, { meter }) => isSubset(b, a, meter)),
  define("any", "items", "", (items) => items.some(truth)),
  define("all", "items", "", (items) => items.every(truth)),
  define("truthy", "any", "convert_bool: flag = false", isTruthy),
  define("falsy", "any", "convert_bool: flag = false", (value, convert) => !isTruthy(value, convert)),
  define("nan isnan", "any", "", (value) => value instanceof PyFloat && Number.isNaN(value.value)),
].flat();
