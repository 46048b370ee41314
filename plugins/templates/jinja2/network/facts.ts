/** Filters that combine data from several sources: consolidate, param_list_compare. */

import { itemsOf, type Meter, PyDict, sorted, str, type Value } from "../../python/index.ts";
import { define, type FilterEntries, filterError } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";
import { textsOf } from "./keys.ts";

interface Source {
  readonly name: Value;
  readonly items: PyDict;
  /** Positions, from 1, of items without the key. */
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
    const keyValue = item instanceof PyDict ? item.get(key) : undefined;
    if (keyValue === undefined) missing.push(i + 1);
    else {
      doubled ||= items.has(keyValue);
      items.set(keyValue, item);
    }
  });
  return { name, items, missing, doubled, key };
}

function consolidate(
  inputs: readonly Value[],
  failKey: boolean,
  failValue: boolean,
  failDuplicate: boolean,
  { meter }: FilterContext,
): Value {
  const sources = inputs.map((source) => readSource(source, meter));
  const faults: string[] = [];
  sources.forEach(({ key, missing, doubled }, i) => {
    if (failKey)
      for (const at of missing)
        faults.push(`missing match key '${str(key, meter)}' in data source ${i + 1} in list entry ${at}`);
    if (failDuplicate && doubled) faults.push(`duplicate values in data source ${i + 1}`);
  });
  const union = PyDict.from(
    sources.flatMap(({ items }) => items.keys()).map((key): [Value, Value] => [key, true]),
  );
  const values = sorted(union.keys(), meter);
  sources.forEach(({ items }, i) => {
    const absent = values.filter((value) => !items.has(value)).map((value) => str(value, meter));
    if (failValue && absent.length > 0)
      faults.push(`missing match value ${absent.join(", ")} in data source ${i + 1}`);
  });
  if (faults.length > 0) throw filterError(`consolidate: ${faults.join(", ")}`);
  const recordsOf = (value: Value) =>
    sources.map(({ name, items }): [Value, Value] => [name, items.get(value) ?? new PyDict()]);
  return PyDict.from(values.map((value): [Value, Value] => [value, PyDict.from(recordsOf(value))]));
}

/** Compares requested with available items: `all`, single ones, and `!` to exclude. */
function compareLists(value: Value, target: Value, { meter }: FilterContext): Value {
  const base = textsOf(value, meter);
  const requested = textsOf(target, meter);
  const excluded = new Set(requested.filter((text) => text.startsWith("!")).map((text) => text.slice(1)));
  const plain = requested.filter((text) => text !== "all" && !text.startsWith("!"));
  const actionable = requested.includes("all") ? base.filter((text) => !excluded.has(text)) : [];
  for (const text of plain) if (base.includes(text) && !actionable.includes(text)) actionable.push(text);
  return PyDict.from([
    ["actionable", sorted(actionable, meter)],
    ["unsupported", plain.filter((text) => !base.includes(text))],
  ]);
}

export const factFilters: FilterEntries = [
  define(
    "consolidate",
    "items",
    "fail_missing_match_key: flag = true, fail_missing_match_value: flag = true, fail_duplicate: flag = true",
    consolidate,
  ),
  define("param_list_compare", "defined", "target", compareLists),
].flat();
