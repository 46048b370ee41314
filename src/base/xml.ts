/**
 * XML from devices, as a small tree that is read and not changed. A document type definition, and so every entity but
 * the five predefined ones, is refused. Namespaces are known; names are compared without their prefixes.
 */
import { SaxesParser } from "saxes";
import { ServiceError } from "./errors.ts";
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
  /** Of all elements together; default 500,000. */
  readonly attributes?: number;
}

const defaults: Required<XmlLimits> = {
  length: 32 * 1024 * 1024,
  depth: 256,
  elements: 500_000,
  attributes: 500_000,
};

/**
 * One document; white space before it does not matter.
 * @throws PluginError DriverError with `line` and `column` (both from 1): not well-formed, a document type definition, an
 * entity that is not predefined; OutputTooLarge: over a limit
 */
export function parseXml(source: string, limits: XmlLimits = {}): XmlElement {
  const most = { ...defaults, ...limits };
  if (source.length > most.length) throw tooLarge(`longer than ${most.length} characters`);
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
  /** Behind the last tag. */
  let behind = 0;
  let count = 0;
  parser.on("opentag", ({ name, attributes }) => {
    if (tree.names.length >= most.elements) throw tooLarge(`of more than ${most.elements} elements`);
    if (tree.depth >= most.depth) throw tooLarge(`nested deeper than ${most.depth} levels`);
    let own: Map<string, string> | undefined;
    for (const key in attributes) {
      if (++count > most.attributes) throw tooLarge(`of more than ${most.attributes} attributes`);
      own ??= new Map();
      own.set(key, attributes[key] ?? "");
    }
    tree.open(name, own);
    behind = parser.position;
  });
  parser.on("closetag", () => {
    tree.close();
    behind = parser.position;
  });
  // It is told when the next tag has begun, by one character.
  parser.on("text", (text) => tree.text(text, behind, parser.position - 1));
  parser.on("cdata", (text) => tree.text(text, 0, -1));
  parser.write(body).close();
  if (tree.names.length === 0) throw fault("there is no element");
  return tree.element(0);
}

function tooLarge(what: string): ServiceError {
  return new ServiceError("OutputTooLarge", `The XML is ${what}.`);
}
