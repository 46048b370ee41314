/** YAML as PyYAML's safe_load reads it: plain scalars resolve by YAML 1.1. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseAllDocuments,
  parseDocument,
  type Scalar,
} from "yaml";
import { PyError } from "../errors.ts";
import { limitError, type Meter } from "../limits.ts";
import { strip } from "../text/blanks.ts";
import { PyDict, PySet } from "../values/dict.ts";
import { PyFloat, toInt, type Value } from "../values/values.ts";
import { FALSE, FLOAT, INT, NULL, TRUE } from "./kinds.ts";

const MAX_DEPTH = 100;
const yamlError = (message: string): PyError => new PyError("YAMLError", message);

const READING = { version: "1.1", schema: "failsafe", uniqueKeys: false, logLevel: "error" } as const;

/** @throws PyError YAMLError if the text is not YAML. */
export function loadYaml(text: string, meter: Meter): Value {
  requirePrintable(text);
  return valueIn(parseDocument(text, READING), text, meter);
}

/** Loads all documents of a text. */
export function loadYamlAll(text: string, meter: Meter): Value[] {
  requirePrintable(text);
  const documents = parseAllDocuments(text, READING);
  return Array.isArray(documents)
    ? documents.map((document: Document.Parsed) => valueIn(document, text, meter))
    : [];
}

/** The characters that YAML rejects. */
const UNPRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function requirePrintable(text: string): void {
  const code = UNPRINTABLE.exec(text)?.[0].codePointAt(0);
  if (code === undefined) return;
  const hex = code.toString(16).padStart(4, "0");
  throw yamlError(`unacceptable character #x${hex}: control characters are not allowed`);
}

/** The text of a block scalar; one that ends with the input, without a line break, ends with none. */
function blockText(node: Scalar, text: string, source: string): string {
  if (node.type !== "BLOCK_LITERAL" && node.type !== "BLOCK_FOLDED") return text;
  const last = source.slice(source.search(/[^\r\n]*$/));
  const end = node.range?.[1] ?? 0;
  return text.endsWith("\n") && strip(last) !== "" && end > source.length - last.length
    ? text.slice(0, -1)
    : text;
}

function valueIn(document: Document.Parsed, source: string, meter: Meter): Value {
  const [error] = document.errors;
  if (error !== undefined) throw yamlError(error.message);
  const anchors = new Map<string, Value>();

  function convert(node: Node | null, depth: number): Value {
    meter.step();
    if (depth > MAX_DEPTH) throw limitError(`YAML nested deeper than ${MAX_DEPTH} levels`);
    if (node === null) return null;
    if (isAlias(node)) {
      const value = anchors.get(node.source);
      if (value === undefined) throw yamlError(`found undefined alias '${node.source}'`);
      return value;
    }
    if (isScalar(node)) {
      const value = scalar(blockText(node, String(node.value ?? ""), source), node.type, node.tag);
      return anchored(node.anchor, value);
    }
    if (isSeq<Node>(node)) {
      const list: Value[] = [];
      anchored(node.anchor, list);
      for (const item of node.items) list.push(convert(item, depth + 1));
      return list;
    }
    if (!isMap<Node, Node>(node)) return null;
    const dict = new PyDict();
    anchored(node.anchor, dict);
    const merged: PyDict[] = [];
    for (const { key, value } of node.items) {
      const name = convert(key, depth + 1);
      const item = convert(value, depth + 1);
      if (name === "<<" && isScalar(key) && key.type === "PLAIN") merged.push(...mergeSources(item));
      else if (Array.isArray(name) || name instanceof PyDict) throw yamlError("found unhashable key");
      else dict.set(name, item);
    }
    if (merged.length > 0) mergeFirst(dict, merged);
    return node.tag === "tag:yaml.org,2002:set" ? anchored(node.anchor, new PySet(dict.keys())) : dict;
  }

  function anchored(anchor: string | undefined, value: Value): Value {
    if (anchor !== undefined) anchors.set(anchor, value);
    return value;
  }
  return convert(document.contents as Node | null, 0);
}

/** Merge keys come before the mapping's own keys, which win; the first of several sources wins. */
function mergeFirst(dict: PyDict, sources: readonly PyDict[]): void {
  const entries = dict.entries();
  dict.clear();
  for (const source of sources.toReversed())
    for (const [key, value] of source.entries()) dict.set(key, value);
  for (const [key, value] of entries) dict.set(key, value);
}

function mergeSources(value: Value): PyDict[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => {
    if (item instanceof PyDict) return item;
    throw yamlError("expected a mapping for merging");
  });
}

function scalar(text: string, type: string | null | undefined, tag: string | undefined): Value {
  const short = tag?.replace(/^tag:yaml\.org,2002:/, "!!");
  if (short === "!!str" || (type !== "PLAIN" && short === undefined)) return text;
  if (short?.startsWith("!") && !short.startsWith("!!")) throw yamlError(`unknown tag ${short}`);
  if (text === "=" && short === undefined)
    throw yamlError("could not determine a constructor for the tag 'tag:yaml.org,2002:value'");
  if (short === "!!float" && INT.test(text)) return new PyFloat(Number(integer(text.replaceAll("_", ""))));
  if (NULL.test(text) || short === "!!null") return null;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  if (INT.test(text)) return integer(text.replaceAll("_", ""));
  return FLOAT.test(text) ? float(text.replaceAll("_", "").toLowerCase()) : text;
}

/** Base 60, as in 1:30:00. */
function sexagesimal(text: string): number {
  return text.split(":").reduce((total, part) => total * 60 + Number(part), 0);
}

function integer(text: string): Value {
  const negative = text.startsWith("-");
  const digits = text.replace(/^[-+]/, "");
  let value: bigint;
  if (digits.includes(":")) value = BigInt(sexagesimal(digits));
  else if (/^0[bx]/.test(digits)) value = BigInt(digits);
  else value = digits.length > 1 && digits.startsWith("0") ? BigInt(`0o${digits.slice(1)}`) : BigInt(digits);
  return toInt(negative ? -value : value);
}

function float(text: string): Value {
  const negative = text.startsWith("-");
  const digits = text.replace(/^[-+]/, "");
  if (digits === ".inf") return new PyFloat(negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  if (digits === ".nan") return new PyFloat(Number.NaN);
  const value = digits.includes(":") ? sexagesimal(digits) : Number(digits);
  return new PyFloat(negative ? -value : value);
}
