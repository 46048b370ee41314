/** from_xml and to_xml, with the data layout of the library xmltodict. */

import { SaxesParser } from "saxes";
import {
  isIterable,
  isText,
  itemsOf,
  type Meter,
  PyDict,
  str,
  textOf,
  type Value,
  writeJson,
} from "../../python/index.ts";
import { define, type FilterEntries, filterError } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";

const TEXT = "#text";

interface Open {
  readonly name: string;
  readonly item: PyDict;
  text: string;
}

/** A repeated child name makes a list. */
function push(into: PyDict, name: string, value: Value): void {
  const existing = into.get(name);
  if (existing === undefined) into.set(name, value);
  else if (Array.isArray(existing)) existing.push(value);
  else into.set(name, [existing, value]);
}

function parseXml(source: string, meter: Meter): PyDict {
  const parser = new SaxesParser();
  const root = new PyDict();
  const open: Open[] = [];
  parser.on("error", (error) => {
    throw filterError(`from_xml: ${error.message}`);
  });
  parser.on("opentag", ({ name, attributes }) => {
    meter.step();
    meter.enter();
    const item = PyDict.from(Object.entries(attributes).map(([key, value]) => [`@${key}`, value]));
    open.push({ name, item, text: "" });
  });
  const text = (added: string) => {
    const last = open.at(-1);
    if (last !== undefined) last.text += added;
  };
  parser.on("text", text);
  parser.on("cdata", text);
  parser.on("closetag", () => {
    const last = open.pop();
    if (last === undefined) return;
    meter.leave();
    const inside = last.text.trim();
    const around = open.at(-1)?.item ?? root;
    if (last.item.size === 0) push(around, last.name, inside === "" ? null : inside);
    else {
      if (inside !== "") push(last.item, TEXT, inside);
      push(around, last.name, last.item);
    }
  });
  parser.write(source).close();
  return root;
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function quoted(text: string): string {
  const safe = escaped(text).replaceAll("\n", "&#10;").replaceAll("\r", "&#13;").replaceAll("\t", "&#9;");
  if (!safe.includes('"')) return `"${safe}"`;
  return safe.includes("'") ? `"${safe.replaceAll('"', "&quot;")}"` : `'${safe}'`;
}

/** Rejects names that could inject markup. */
function checkedName(name: string): string {
  if (/^[^\s<>&"'/=]+$/.test(name)) return name;
  throw filterError(`to_xml: '${name}' is not a name of a tag`);
}

function writeXml(name: string, value: Value, depth: number, indent: string, meter: Meter): string {
  const items =
    value instanceof PyDict || isText(value) || !isIterable(value) ? [value] : itemsOf(value, meter);
  return items.map((item) => writeElement(checkedName(name), item, depth, indent, meter)).join("");
}

function textValue(value: Value, meter: Meter): string {
  if (typeof value === "boolean") return value ? "true" : "false";
  return value === null ? "" : str(value, meter);
}

function writeElement(name: string, value: Value, depth: number, indent: string, meter: Meter): string {
  meter.step();
  meter.enter();
  const content: readonly [Value, Value][] = value instanceof PyDict ? value.entries() : [[TEXT, value]];
  let attributes = "";
  let text = "";
  let inside: string | undefined;
  for (const [rawKey, item] of content) {
    const key = str(rawKey, meter);
    if (key === TEXT) text = escaped(textValue(item, meter));
    else if (key.startsWith("@"))
      attributes += ` ${checkedName(key.slice(1))}=${quoted(textValue(item, meter))}`;
    else inside = (inside ?? "") + writeXml(key, item, depth + 1, indent, meter);
  }
  meter.leave();
  const pad = indent.repeat(depth);
  const body = inside === undefined ? text : `\n${inside}${text}${pad}`;
  const element = `${pad}<${name}${attributes}>${body}</${name}>${depth === 0 ? "" : "\n"}`;
  meter.text(element.length);
  return element;
}

function toXml(
  value: Value,
  engine: string,
  indent: string,
  width: number,
  isDocument: boolean,
  { meter }: FilterContext,
): Value {
  demandEngine(engine);
  if (!(value instanceof PyDict)) throw filterError("to_xml needs a dictionary");
  const [root, ...more] = value.entries();
  if (isDocument && (root === undefined || more.length > 0 || (Array.isArray(root[1]) && root[1].length > 1)))
    throw filterError("to_xml: a document has one root");
  const tab = indent === "spaces" ? " ".repeat(width) : "\t";
  const body = value.entries().map(([key, item]) => writeXml(str(key, meter), item, 0, tab, meter));
  return `${isDocument ? '<?xml version="1.0" encoding="utf-8"?>\n' : ""}${body.join("")}`;
}

function demandEngine(name: string): void {
  if (name !== "xmltodict") throw filterError(`the only engine for XML is xmltodict, not '${name}'`);
}

function fromXml(value: Value, engine: string, { meter }: FilterContext): string {
  demandEngine(engine);
  if (!isText(value)) throw filterError("from_xml needs text");
  return writeJson(parseXml(textOf(value), meter), {}, meter);
}

const INDENT = "indent: text = 'tabs', indent_width: int = 4";

export const xmlFilters: FilterEntries = [
  define("from_xml", "defined", "engine: text = 'xmltodict'", fromXml),
  define("to_xml", "defined", `engine: text = 'xmltodict', ${INDENT}, full_document: flag = true`, toXml),
].flat();
