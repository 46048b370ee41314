/** Python's `json` for macros. */

import {
  callValue,
  jsonIndent,
  jsonSeparators,
  loadJson,
  truth,
  typeError,
  typeName,
  type Value,
  writeJson,
} from "../../../python/index.ts";
import { ExceptionType } from "../exceptions.ts";
import { makeModule } from "./module.ts";

export const json = makeModule(
  "json",
  {
    loads([source = null]) {
      if (typeof source === "string") return loadJson(source);
      throw typeError(`the JSON object must be str, not ${typeName(source)}`);
    },
    dumps([value = null], kwargs, meter) {
      const convert = kwargs?.get("default") ?? null;
      const style = {
        convert: convert === null ? undefined : (one: Value) => callValue(convert, [one], undefined, meter),
        indent: jsonIndent(kwargs?.get("indent") ?? null, meter),
        sortKeys: truth(kwargs?.get("sort_keys") ?? false),
        ascii: truth(kwargs?.get("ensure_ascii") ?? true),
        separators: jsonSeparators(kwargs?.get("separators") ?? null, meter),
      };
      return writeJson(value, style, meter);
    },
  },
  { JSONDecodeError: new ExceptionType("JSONDecodeError") },
  { loads: "s", dumps: "obj" },
);
