/** The tests that Ansible's users expect beside Jinja2's own, by name. */
import { signature } from "../../python/args.ts";
import { contains } from "../../python/compare.ts";
import { eq } from "../../python/equal.ts";
import { itemsOf } from "../../python/iterate.ts";
import type { Meter } from "../../python/limits.ts";
import { isText, PyFloat, textOf, truth, Undefined, type Value } from "../../python/values.ts";
import type { Test } from "../filter.ts";
import { flag } from "../filters/define.ts";
import { addressTests } from "./address-tests.ts";
import { membersOf } from "./combine.ts";
import { pathTests } from "./path-tests.ts";
import { regexTests } from "./regex.ts";
import { versionTests } from "./version.ts";

function binary(
  name: string,
  parameter: string,
  holds: (value: Value, other: Value, meter: Meter) => boolean,
): Test {
  const bind = signature(name, [parameter]);
  return (value, args, kwargs, { meter }) => holds(value, bind(args, kwargs)[0] ?? null, meter);
}

function items(value: Value, meter: Meter): readonly Value[] {
  return value instanceof Undefined ? value.fail() : itemsOf(value, meter);
}

function isSubset(value: Value, other: Value, meter: Meter): boolean {
  return items(value, meter).every(membersOf(items(other, meter), meter));
}

const subset = binary("subset", "b", isSubset);
const superset = binary("superset", "b", (value, other, meter) => isSubset(other, value, meter));
const noArguments = signature("test", []);
const bindTruth = signature("truthy", ["convert_bool?"]);

const YES = ["y", "yes", "on", "1", "true", "t"];
const NO = ["n", "no", "off", "0", "false", "f"];

/** What a word or a number says; what is neither yes nor no stands for itself. */
function saidTruth(value: Value): boolean | undefined {
  if (isText(value)) {
    const word = textOf(value).toLowerCase().trim();
    return YES.includes(word) ? true : NO.includes(word) ? false : undefined;
  }
  return eq(value, 1) ? true : eq(value, 0) ? false : undefined;
}

const truthy: Test = (value, args, kwargs) => {
  const [convert] = bindTruth(args, kwargs);
  return truth(flag(convert) ? (saidTruth(value) ?? value) : value);
};

function every(wanted: boolean): Test {
  return (value, args, kwargs, { meter }) => {
    noArguments(args, kwargs);
    const list = items(value, meter);
    return wanted ? list.every(truth) : list.some(truth);
  };
}

const isNan: Test = (value) => value instanceof PyFloat && Number.isNaN(value.value);

type Entry = readonly [string, Test];

const builtin: readonly Entry[] = [
  ...regexTests,
  ...versionTests,
  ["contains", binary("contains", "value", (value, other, meter) => contains(value, other, meter))],
  ["subset", subset],
  ["issubset", subset],
  ["superset", superset],
  ["issuperset", superset],
  ["any", every(false)],
  ["all", every(true)],
  ["truthy", truthy],
  ["falsy", (value, args, kwargs, context) => !truthy(value, args, kwargs, context)],
  ["nan", isNan],
  ["isnan", isNan],
  ...pathTests,
];

function prefixed(prefix: string, entries: readonly Entry[]): Entry[] {
  return entries.map(([name, body]) => [`${prefix}.${name}`, body]);
}

/** By their plain names, and by the full ones that playbooks use. */
export const networkTests: readonly Entry[] = [
  ...prefixed("ansible.builtin", builtin),
  ...prefixed("ansible.utils", addressTests),
  ...builtin,
  ...addressTests,
];
