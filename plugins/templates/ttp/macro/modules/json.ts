/** Python's `json` for macros. */
import { TemplateError } from "patchbay/plugin";
import { PyError, typeError } from "../../../python/errors.ts";
import { itemsOf } from "../../../python/iterate.ts";
import { parseJson } from "../../../python/json.ts";
import { writeJson } from "../../../python/json-write.ts";
import { str } from "../../../python/repr.ts";
import { truth, typeName, type Value } from "../../../python/values.ts";
import { ExceptionType } from "../exceptions.ts";
import { makeModule } from "./module.ts";

export const json = makeModule(
  "json",
  {
    loads: ([source = null]) => loads(source),
    dumps: ([value = null], kwargs, meter) => {
      const indent = kwargs?.get("indent") ?? null;
      const separators = kwargs?.get("separators") ?? null;
      const [comma, colon] = separators === null ? [] : itemsOf(separators, meter);
      return writeJson(
        value,
        {
          indent:
            typeof indent === "number"
              ? " ".repeat(Math.max(0, indent))
              : indent === null
                ? undefined
                : str(indent, meter),
          sortKeys: truth(kwargs?.get("sort_keys") ?? false),
          ascii: truth(kwargs?.get("ensure_ascii") ?? true),
          separators: comma === undefined ? undefined : [str(comma, meter), str(colon ?? ": ", meter)],
        },
        meter,
      );
    },
  },
  { JSONDecodeError: new ExceptionType("JSONDecodeError") },
);

/** @throws PyError JSONDecodeError */
function loads(source: Value): Value {
  if (typeof source !== "string") throw typeError(`the JSON object must be str, not ${typeName(source)}`);
  try {
    return parseJson(source);
  } catch (error) {
    if (error instanceof TemplateError && error.kind === "TemplateRuntime")
      throw new PyError("JSONDecodeError", error.message);
    throw error;
  }
}
