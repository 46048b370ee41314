/** Filters that write and read JSON and YAML. */
import { TemplateError } from "patchbay/plugin";
import { PyError, typeError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import { parseJson } from "../../python/json.ts";
import { writeJson } from "../../python/json-write.ts";
import type { Meter } from "../../python/limits.ts";
import { isText, textOf, truth, type Value } from "../../python/values.ts";
import { loadYaml, loadYamlAll } from "../../python/yaml-read.ts";
import { writeYaml } from "../../python/yaml-write.ts";
import type { FilterContext } from "../filter.ts";
import { define, type FilterEntries, integer, onlyText, plainText } from "../filters/define.ts";

/** As many blanks, or the text itself. */
export function indentOf(indent: Value, meter: Meter): string | undefined {
  if (indent === null) return undefined;
  if (isText(indent)) return textOf(indent);
  const width = Math.max(0, integer(indent));
  meter.text(width);
  return " ".repeat(width);
}

function separatorsOf(separators: Value, context: FilterContext): readonly [string, string] | undefined {
  if (separators === null) return undefined;
  const [comma, colon, ...more] = itemsOf(separators, context.meter);
  if (comma === undefined || colon === undefined || more.length > 0)
    throw typeError("separators are two texts: between items, and between key and value");
  return [plainText(comma, context), plainText(colon, context)];
}

function toJson(
  value: Value,
  indent: Value,
  sortKeys: boolean,
  separators: Value,
  ascii: boolean,
  context: FilterContext,
): string {
  const { meter } = context;
  const style = { indent: indentOf(indent, meter), sortKeys, ascii };
  return writeJson(value, { ...style, separators: separatorsOf(separators, context) }, meter);
}

function fromJson(text: string): Value {
  try {
    return parseJson(text);
  } catch (error) {
    // The place is one in the value, not in the template.
    if (!(error instanceof TemplateError) || error.at.line === undefined) throw error;
    const { line, column } = error.at;
    throw new PyError("JSONDecodeError", `${error.message} (line ${line}, column ${column})`);
  }
}

/** The style of flow is left to the values where it is None. */
function toYaml(
  value: Value,
  indent: number,
  sortKeys: boolean,
  width: number,
  flow: Value,
  explicitStart: boolean,
  explicitEnd: boolean,
  { meter }: FilterContext,
): string {
  const style = { indent, width, sortKeys, explicitStart, explicitEnd };
  return writeYaml(value, { ...style, flow: flow === null ? undefined : truth(flow) }, meter);
}

const ENDS = "explicit_start: flag = false, explicit_end: flag = false";

export const dataFilters: FilterEntries = [
  define(
    "to_json",
    "defined",
    "indent = none, sort_keys: flag = false, separators = none, ensure_ascii: flag = true",
    toJson,
  ),
  define(
    "to_nice_json",
    "defined",
    "indent = 4, sort_keys: flag = true, ensure_ascii: flag = true",
    (value, indent, sortKeys, ascii, context) => toJson(value, indent, sortKeys, [",", ": "], ascii, context),
  ),
  define("from_json", onlyText("the JSON object must be str"), "", fromJson),
  define(
    "to_yaml",
    "defined",
    `indent: int = 2, sort_keys: flag = true, width: int = 80, default_flow_style = none, ${ENDS}`,
    toYaml,
  ),
  define(
    "to_nice_yaml",
    "defined",
    `indent: int = 4, sort_keys: flag = true, width: int = 80, default_flow_style = false, ${ENDS}`,
    toYaml,
  ),
  define("from_yaml", "any", "", (value, { meter }) =>
    isText(value) ? loadYaml(textOf(value), meter) : value,
  ),
  define("from_yaml_all", "any", "", (value, { meter }) =>
    isText(value) ? loadYamlAll(textOf(value), meter) : value,
  ),
].flat();
