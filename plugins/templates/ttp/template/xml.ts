/**
 * Parses a template's XML to a tree of elements; document type definitions, and with them XML bombs, are
 * refused.
 */

import { SaxesParser } from "saxes";
import { limitError, TemplateError } from "../../python/index.ts";

/** Maps the part of a text that starts at `at` to a line of the template. */
export interface Mark {
  readonly at: number;
  readonly line: number;
  /** Path of the template, if it is another one. */
  readonly from: string | undefined;
}

export interface Element {
  readonly tag: string;
  /** Position of the tag. */
  readonly mark: Mark;
  readonly attributes: Map<string, string>;
  /** Text before the first child. */
  text: string;
  /** Text after the element, up to the next one. */
  tail: string;
  /** Positions of the parts of `text` and `tail` in the template. */
  readonly textMarks: Mark[];
  readonly tailMarks: Mark[];
  readonly children: Element[];
}

const MAX_DEPTH = 100;
const MAX_ELEMENTS = 50_000;

/** The text is not well-formed XML; the loader then wraps it in `<template>`. */
export class XmlError extends TemplateError {
  constructor(message: string, line: number) {
    super("TemplateSyntax", `XML line ${line}: ${message}`, { line });
  }
}

const NO_MARK: Mark = { at: 0, line: 1, from: undefined };

export function element(
  tag: string,
  attributes: Iterable<[string, string]> = [],
  text = "",
  mark = NO_MARK,
): Element {
  return {
    tag,
    mark,
    attributes: new Map(attributes),
    text,
    tail: "",
    textMarks: [],
    tailMarks: [],
    children: [],
  };
}

export interface XmlPlace {
  /** Number of lines before the caller's text. */
  readonly linesBefore?: number;
  /** Path of the template, unless it is the caller's own. */
  readonly from?: string | undefined;
}

/** @throws XmlError if the text is not well-formed; TemplateError for refused constructs. */
export function parseXml(source: string, { linesBefore = 0, from }: XmlPlace = {}): Element {
  const parser = new SaxesParser();
  const open: Element[] = [];
  let root: Element | undefined;
  let last: Element | undefined;
  let count = 0;
  let began = 1;
  const lineHere = () => Math.max(1, parser.line - linesBefore);
  const markAt = (at: number, line: number): Mark => ({ at, line: line - linesBefore, from });

  parser.on("error", (error) => {
    const message = error.message.replace(/^\d+:\d+: /, "");
    const bare = BARE_AMPERSAND.exec(withoutQuotedParts(source));
    if (bare !== null && parser.position > bare.index)
      throw new XmlError("a '&' that is text is written &amp;", lineOf(source, bare.index) - linesBefore);
    if (/^unexpected close tag/.test(message)) throw misclosed(last, open.length, false);
    if (/^unclosed tag/.test(message)) throw misclosed(open.at(-1), open.length - 1, true);
    throw new XmlError(message + hintFor(message), lineHere());
  });
  parser.on("doctype", () => {
    throw new TemplateError(
      "TemplateSyntax",
      "A template must not hold a document type definition (<!DOCTYPE).",
      { line: lineHere() },
    );
  });
  /** @param around number of open tags around it. */
  const misclosed = (tag: Element | undefined, around: number, atEnd: boolean): XmlError => {
    const line = lineHere();
    // The wrapper is not one of the caller's tags.
    if (tag === undefined || (linesBefore > 0 && around === 0))
      return new XmlError("a closing tag without an opening one", line);
    const { mark } = tag;
    if (atEnd || line > lineOf(source, source.length) - 2 * linesBefore)
      return new XmlError(`<${tag.tag}> is not closed`, mark.line);
    return new XmlError(`this tag does not close <${tag.tag}>, which is open since line ${mark.line}`, line);
  };
  const markPosition = () => {
    began = parser.line;
  };
  parser.on("comment", markPosition);
  parser.on("processinginstruction", markPosition);
  parser.on("opentagstart", () => {
    began = parser.line;
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (++count > MAX_ELEMENTS) throw limitError(`a template of more than ${MAX_ELEMENTS} tags`);
    if (open.length >= MAX_DEPTH) throw limitError(`tags nested deeper than ${MAX_DEPTH} levels`);
    for (const qualified of [name, ...Object.keys(attributes)])
      if (qualified.includes(":") && !/^xml(?:ns)?:/.test(qualified))
        throw new XmlError(`unbound prefix in '${qualified}'`, lineHere());
    const node = element(name, Object.entries(attributes), "", markAt(0, began));
    markPosition();
    open.at(-1)?.children.push(node);
    root ??= node;
    open.push(node);
    last = undefined;
  });
  parser.on("closetag", () => {
    last = open.pop();
    markPosition();
  });
  const text = (added: string) => {
    const inside = open.at(-1);
    if (last !== undefined) {
      last.tailMarks.push(markAt(last.tail.length, began));
      last.tail += added;
    } else if (inside !== undefined) {
      inside.textMarks.push(markAt(inside.text.length, began));
      inside.text += added;
    }
    markPosition();
  };
  parser.on("text", text);
  parser.on("cdata", text);
  parser.write(source).close();
  if (root === undefined) throw new XmlError("no element found", 1);
  root.tail = "";
  return root;
}

const BARE_AMPERSAND = /&(?!(?:#\d+|#x[\da-f]+|[a-z][\w.-]*);)/i;

/** Blanks out comments and CDATA but keeps line feeds. */
function withoutQuotedParts(source: string): string {
  let result = "";
  let last = 0;
  for (const { index: begin } of source.matchAll(/<!--|<!\[CDATA\[/g)) {
    if (begin < last) continue;
    const close = source.startsWith("<!--", begin) ? "-->" : "]]>";
    const closeAt = source.indexOf(close, begin);
    const end = closeAt < 0 ? source.length : closeAt + close.length;
    result += source.slice(last, begin) + source.slice(begin, end).replace(/[^\n]/g, " ");
    last = end;
  }
  return result + source.slice(last);
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", end + 1)) line++;
  return line;
}

function hintFor(message: string): string {
  return /tag name|attribute name/.test(message) ? " (a '<' that is text is written &lt;)" : "";
}
