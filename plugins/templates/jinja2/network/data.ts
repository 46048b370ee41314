/** Filters that write and read JSON and YAML. */

import { TemplateError } from "patchbay/plugin";
import { PyError, typeError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import { parseJson } from "../../python/json.ts";
import { writeJson } from "../../python/json-write.ts";
import { isText, textOf, truth, typeName, Undefined, type Value } from "../../python/values.ts";
import { loadYaml, loadYamlAll } from "../../python/yaml-read.ts";
import { writeYaml } from "../../python/yaml-write.ts";
import type { FilterContext } from "../filter.ts";
import { type Entry, filter, flag, integer, plainText } from "../filters/define.ts";

function indentOf(indent: Value, context: FilterContext): string | undefined {
  if (indent === null) return undefined;
  if (isText(indent)) return textOf(indent);
  const width = Math.max(0, integer(indent, 0));
  context.meter.text(width);
  return " ".repeat(width);
}

function separatorsOf(separators: Value, context: FilterContext): readonly [string, string] | undefined {
  if (separators === null) return undefined;
  const [comma, colon, ...more] = itemsOf(separators, context.meter);
  if (comma === undefined || colon === undefined || more.length > 0)
    throw typeError("separators are two texts: between items, and between key and value");
  return [plainText(comma, context), plainText(colon, context)];
}

interface Json {
  readonly indent: Value;
  readonly sortKeys: boolean;
  readonly separators: Value;
  readonly ascii: boolean;
}

function toJson(value: Value, { indent, sortKeys, separators, ascii }: Json, context: FilterContext): string {
  if (value instanceof Undefined) return value.fail();
  const style = {
    indent: indentOf(indent, context),
    sortKeys,
    ascii,
    separators: separatorsOf(separators, context),
  };
  return writeJson(value, style, context.meter);
}

function fromJson(value: Value): Value {
  if (value instanceof Undefined) return value.fail();
  if (!isText(value)) throw typeError(`the JSON object must be str, not ${typeName(value)}`);
  try {
    return parseJson(textOf(value));
  } catch (error) {
    // The place is one in the value, not in the template.
    if (!(error instanceof TemplateError) || error.at.line === undefined) throw error;
    const { line, column } = error.at;
    throw new PyError("JSONDecodeError", `${error.message} (line ${line}, column ${column})`);
  }
}

const YAML_OPTIONS = ["sort_keys?", "width?", "default_flow_style?", "explicit_start?", "explicit_end?"];

function toYaml(
  value: Value,
  indent: number,
  given: readonly (Value | undefined)[],
  flow: boolean | undefined,
  context: FilterContext,
): string {
  const [sortKeys, width, flowStyle, start, end] = given;
  if (value instanceof Undefined) return value.fail();
  const style = {
    indent,
    width: integer(width, 80),
    sortKeys: flag(sortKeys, true),
    flow: flowStyle === undefined ? flow : flowStyle === null ? undefined : truth(flowStyle),
    explicitStart: flag(start),
    explicitEnd: flag(end),
  };
  return writeYaml(value, style, context.meter);
}

export const dataFilters: readonly Entry[] = [
  filter(
    "to_json",
    ["indent?", "sort_keys?", "separators?", "ensure_ascii?"],
    (value, [indent = null, sortKeys, separators = null, ascii], context) =>
      toJson(value, { indent, sortKeys: flag(sortKeys), separators, ascii: flag(ascii, true) }, context),
  ),
  filter(
    "to_nice_json",
    ["indent?", "sort_keys?", "ensure_ascii?"],
    (value, [indent = 4, sortKeys, ascii], context) =>
      toJson(
        value,
        { indent, sortKeys: flag(sortKeys, true), separators: [",", ": "], ascii: flag(ascii, true) },
        context,
      ),
  ),
  filter("from_json", [], fromJson),
  filter("to_yaml", ["indent?", ...YAML_OPTIONS], (value, [indent, ...given], context) =>
    toYaml(value, integer(indent, 2), given, undefined, context),
  ),
  filter("to_nice_yaml", ["indent?", ...YAML_OPTIONS], (value, [indent, ...given], context) =>
    toYaml(value, integer(indent, 4), given, false, context),
  ),
  filter("from_yaml", [], (value, _given, { meter }) =>
    isText(value) ? loadYaml(textOf(value), meter) : value,
  ),
  filter("from_yaml_all", [], (value, _given, { meter }) =>
    isText(value) ? loadYamlAll(textOf(value), meter) : value,
  ),
];
