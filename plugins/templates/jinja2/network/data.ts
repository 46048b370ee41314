/** JSON and YAML filters. */
import {
  isText,
  jsonIndent,
  jsonSeparators,
  loadJson,
  textOf,
  truth,
  type Value,
  writeJson,
} from "../../python/index.ts";
import { loadYaml, loadYamlAll, writeYaml } from "../../python/yaml.ts";
import { define, type FilterEntries, onlyText } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";

function toJson(
  value: Value,
  indent: Value,
  sortKeys: boolean,
  separators: Value,
  ascii: boolean,
  { meter }: FilterContext,
): string {
  const style = { indent: jsonIndent(indent, meter), sortKeys, ascii };
  return writeJson(value, { ...style, separators: jsonSeparators(separators, meter) }, meter);
}

/** If the flow style is None, it depends on the values. */
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
  define("from_json", onlyText("the JSON object must be str"), "", loadJson),
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
