/**
 * Parses XML from devices into a small read-only tree. Rejects document type definitions, and so all entities except
 * the five predefined ones. Namespace-aware; names are compared without prefixes.
 */
import { SaxesParser } from "saxes";
import { ServiceError } from "../errors.ts";
import type { XmlElement } from "./xml-element.ts";
import { XmlTree } from "./xml-tree.ts";

export type { XmlElement } from "./xml-element.ts";

export interface XmlLimits {
  /** Of the text, in UTF-16 code units; default 32 Mi. */
  readonly length?: number;
  /** Default 256. */
  readonly depth?: number;
  /** Default 500,000. */
  readonly elements?: number;
  /** Of all elements in total; default 500,000. */
  readonly attributes?: number;
}

const defaults: Required<XmlLimits> = {
  length: 32 * 1024 * 1024,
  depth: 256,
  elements: 500_000,
  attributes: 500_000,
};

/**
 * Parses one document; leading white space is ignored.
 * @throws PluginError DriverError with `line` and `column` (both from 1): not well-formed, a document type definition,
 * an entity that is not predefined; OutputTooLarge: a limit is exceeded
 */
export function parseXml(source: string, limits: XmlLimits = {}): XmlElement {
  const max = { ...defaults, ...limits };
  if (source.length > max.length) throw tooLarge(`longer than ${max.length} characters`);
  const begin = source.search(/[^\s\uFEFF]/);
  const body = begin > 0 ? source.slice(begin) : source;
  const parser = new SaxesParser();
  const tree = new XmlTree(body);
  const fault = (message: string) => {
    const before = begin < 0 ? "" : source.slice(0, begin);
    const line = parser.line + before.split("\n").length - 1;
    const column = parser.column + (parser.line === 1 ? before.length - before.lastIndexOf("\n") - 1 : 0);
    return new ServiceError(
      "DriverError",
      `The XML is not valid: ${message} (line ${line}, column ${Math.max(1, column)}).`,
      { line, column: Math.max(1, column) },
    );
  };
  parser.on("error", (error) => {
    throw fault(error.message.replace(/^\d+:\d+: /, "").replace(/[.:]$/, ""));
  });
  parser.on("doctype", () => {
    throw fault("a document type definition (<!DOCTYPE) is not accepted");
  });
  /** Position after the last tag. */
  let behind = 0;
  let count = 0;
  parser.on("opentag", ({ name, attributes }) => {
    if (tree.names.length >= max.elements) throw tooLarge(`of more than ${max.elements} elements`);
    if (tree.depth >= max.depth) throw tooLarge(`nested deeper than ${max.depth} levels`);
    let attributeMap: Map<string, string> | undefined;
    for (const key in attributes) {
      if (++count > max.attributes) throw tooLarge(`of more than ${max.attributes} attributes`);
      attributeMap ??= new Map();
      attributeMap.set(key, attributes[key] ?? "");
    }
    tree.open(name, attributeMap);
    behind = parser.position;
  });
  parser.on("closetag", () => {
    tree.close();
    behind = parser.position;
  });
  // Emitted once the parser has read one character of the next tag.
  parser.on("text", (text) => tree.text(text, behind, parser.position - 1));
  parser.on("cdata", (text) => tree.text(text, 0, -1));
  parser.write(body).close();
  if (tree.names.length === 0) throw fault("there is no element");
  return tree.element(0);
}

function tooLarge(problem: string): ServiceError {
  return new ServiceError("OutputTooLarge", `The XML is ${problem}.`);
}
