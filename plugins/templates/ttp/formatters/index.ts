/** Output formatters. */

import {
  itemsOf,
  type Kwargs,
  PyDict,
  PyError,
  prettyPrint,
  str,
  type Value,
  writeJson,
} from "../../python/index.ts";
import { parts } from "../parts.ts";
import type { Runtime } from "../run/runtime.ts";
import { unknownName } from "../template/mistakes.ts";

export interface Formatted {
  readonly attributes: PyDict;
  /** The parsed text of the output tag, for jinja2. */
  readonly load: Value;
}

const REFUSED: Readonly<Record<string, string>> = {
  excel: "it writes a file of another library",
  n2g: "it writes a diagram of another library",
};

const FORMATS = ["raw", "json", "yaml", "pprint", "table", "csv", "tabulate", "jinja2"];

export function format(name: string, data: Value, { attributes, load }: Formatted, rt: Runtime): Value {
  const { meter } = rt;
  switch (name) {
    case "raw":
      return data;
    case "json":
      return writeJson(data, { indent: "    ", sortKeys: true, separators: [",", ": "] }, meter);
    case "yaml":
      return parts.yaml.use.writeYaml(data, { flow: false, dumper: "Dumper" }, meter);
    case "pprint":
      return prettyPrint(data, meter, 4);
    case "table":
      return parts.tables.use.tableValue(parts.tables.use.makeTable(data, attributes, meter));
    case "csv":
      return parts.tables.use.csvText(parts.tables.use.makeTable(data, attributes, meter), attributes, meter);
    case "tabulate":
      return parts.tables.use.tabulateText(
        parts.tables.use.makeTable(data, attributes, meter),
        ...formatArguments(attributes, rt),
        meter,
      );
    case "jinja2":
      return rt.renderJinja2(str(load, meter), data);
  }
  const why = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  if (why !== undefined)
    throw new PyError("RuntimeError", `the output format '${name}' is not supported: ${why}`);
  rt.warn(unknownName("output format", name, FORMATS));
  return data;
}

function formatArguments(attributes: PyDict, rt: Runtime): [readonly Value[], Kwargs] {
  const formatArgs = attributes.get("format_attributes");
  if (!(formatArgs instanceof PyDict)) return [[], new Map()];
  const kwargs = formatArgs.get("kwargs");
  return [
    itemsOf(formatArgs.get("args") ?? [], rt.meter),
    new Map(
      kwargs instanceof PyDict ? kwargs.entries().map(([key, value]) => [str(key, rt.meter), value]) : [],
    ),
  ];
}
