/** Filters that bring data of several sources together: consolidate, param_list_compare. */
import { sorted } from "../../python/compare.ts";
import { PyDict } from "../../python/dict.ts";
import { PyError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import type { Meter } from "../../python/limits.ts";
import { str } from "../../python/repr.ts";
import { Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { type Entry, filter, flag } from "../filters/define.ts";
import { textsOf } from "./keys.ts";

const filterError = (message: string) => new PyError("AnsibleFilterError", message);

interface Source {
  readonly name: Value;
  readonly items: PyDict;
  /** Where the key is missing, by place from 1. */
  readonly missing: readonly number[];
  readonly doubled: boolean;
  readonly key: Value;
}

function readSource(value: Value, meter: Meter): Source {
  const [data, key, name] =
    value instanceof PyDict ? [value.get("data"), value.get("match_key"), value.get("name")] : [];
  if (data === undefined || key === undefined || name === undefined)
    throw filterError("consolidate: each source is a dictionary with 'data', 'match_key' and 'name'");
  const items = new PyDict();
  const missing: number[] = [];
  let doubled = false;
  itemsOf(data, meter).forEach((item, i) => {
    const found = item instanceof PyDict ? item.get(key) : undefined;
    if (found === undefined) missing.push(i + 1);
    else {
      doubled ||= items.has(found);
      items.set(found, item);
    }
  });
  return { name, items, missing, doubled, key };
}

function consolidate(
  value: Value,
  [failKey, failValue, failDuplicate]: readonly (Value | undefined)[],
  { meter }: FilterContext,
): Value {
  if (value instanceof Undefined) return value.fail();
  const sources = itemsOf(value, meter).map((one) => readSource(one, meter));
  const faults: string[] = [];
  sources.forEach(({ key, missing, doubled }, i) => {
    if (flag(failKey, true))
      for (const at of missing)
        faults.push(`missing match key '${str(key, meter)}' in data source ${i + 1} in list entry ${at}`);
    if (flag(failDuplicate, true) && doubled) faults.push(`duplicate values in data source ${i + 1}`);
  });
  const all = PyDict.from(
    sources.flatMap(({ items }) => items.keys()).map((one): [Value, Value] => [one, true]),
  );
  const values = sorted(all.keys(), meter, {});
  if (flag(failValue, true))
    sources.forEach(({ items }, i) => {
      const absent = values.filter((one) => !items.has(one)).map((one) => str(one, meter));
      if (absent.length > 0) faults.push(`missing match value ${absent.join(", ")} in data source ${i + 1}`);
    });
  if (faults.length > 0) throw filterError(`consolidate: ${faults.join(", ")}`);
  return PyDict.from(
    values.map((one): [Value, Value] => [
      one,
      PyDict.from(sources.map(({ name, items }): [Value, Value] => [name, items.get(one) ?? new PyDict()])),
    ]),
  );
}

/** What is asked for of what there is: `all`, single ones, and `!` in front of what is left out. */
function compareLists(value: Value, target: Value, { meter }: FilterContext): Value {
  if (value instanceof Undefined) return value.fail();
  const base = textsOf(value, meter);
  const wanted = textsOf(target, meter);
  const left = new Set(wanted.filter((one) => one.startsWith("!")).map((one) => one.slice(1)));
  const plain = wanted.filter((one) => one !== "all" && !one.startsWith("!"));
  const actionable = wanted.includes("all") ? base.filter((one) => !left.has(one)) : [];
  for (const one of plain) if (base.includes(one) && !actionable.includes(one)) actionable.push(one);
  return PyDict.from([
    ["actionable", sorted(actionable, meter, {})],
    ["unsupported", plain.filter((one) => !base.includes(one))],
  ]);
}

export const factFilters: readonly Entry[] = [
  filter(
    "consolidate",
    ["fail_missing_match_key?", "fail_missing_match_value?", "fail_duplicate?"],
    consolidate,
  ),
  filter("param_list_compare", ["target"], (value, [target = null], context) =>
    compareLists(value, target, context),
  ),
];
