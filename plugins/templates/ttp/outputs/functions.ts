/** Output functions by name. */
import {
  contains,
  eq,
  getItem,
  itemsOf,
  PyDict,
  splitAt,
  str,
  truth,
  type Value,
} from "../../python/index.ts";
import { functions, refused } from "../functions/functions.ts";
import { runMacro } from "../macro/find.ts";
import { parts } from "../parts.ts";
import type { LanguageFunction, Runtime } from "../run/runtime.ts";
import { dictToList, traverse } from "./transform.ts";

function pathOf(value: Value | undefined, rt: Runtime): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return splitAt(value, ".");
  return itemsOf(value, rt.meter).map((item) => str(item, rt.meter));
}

export const outputFunctions: ReadonlyMap<string, LanguageFunction<Value>> = new Map([
  ...functions<Value>({
    "macro(macro_name)": (data, [name], rt) => runMacro(name, data, rt) ?? data,
    /** Compares the results with the parsed text of the output tag. */
    "is_equal(*)": (data, _given, rt) => {
      const { output, meter } = rt;
      const anonymous = contains(data, "_anonymous_", meter)
        ? getItem(data, "_anonymous_", meter)
        : undefined;
      return PyDict.from([
        ["output_name", output?.name ?? null],
        ["output_description", output?.attributes.get("description") ?? "None"],
        ["is_equal", eq(anonymous === undefined ? data : anonymous, output?.load ?? null)],
      ]);
    },
    "traverse(path, strict?)": (data, [path, strict = true], rt) =>
      traverse(data, pathOf(path, rt), truth(strict), rt.meter),
    "dict_to_list(key_name?, path?, strict?)": (data, [key = "key", path, strict = false], rt) =>
      dictToList(data, str(key, rt.meter), pathOf(path, rt), truth(strict), rt.meter),
  }),
  ["deepdiff", (...given) => parts.deepdiff.use.deepdiffOutput(...given)],
  ["validate", (...given) => parts.cerberus.use.validateOutput(...given)],
  [
    "validate_yangson",
    () => refused("the output function 'validate_yangson'", "it is Python's Yangson library"),
  ],
]);
