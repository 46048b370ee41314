/** The XML of a template as a tree of elements; a document type definition, and so every XML bomb, is refused. */

import { TemplateError } from "patchbay/plugin";
import { SaxesParser } from "saxes";
import { limitError } from "../python/limits.ts";

export interface Element {
  readonly tag: string;
  readonly attributes: Map<string, string>;
  /** Before the first child. */
  text: string;
  /** After the element, up to the next one. */
  tail: string;
  readonly children: Element[];
}

const MAX_DEPTH = 100;
const MAX_ELEMENTS = 50_000;

/** What makes a template that is no XML by itself be wrapped in `<template>`. */
export class XmlError extends TemplateError {
  constructor(message: string, line: number) {
    super("TemplateSyntax", `XML line ${line}: ${message}`, { line });
  }
}

export function element(tag: string, attributes: Iterable<[string, string]> = [], text = ""): Element {
  return { tag, attributes: new Map(attributes), text, tail: "", children: [] };
}

/** @throws XmlError where the text is not well-formed; TemplateError for what is refused. */
export function parseXml(source: string): Element {
  const parser = new SaxesParser();
  const open: Element[] = [];
  let root: Element | undefined;
  let last: Element | undefined;
  let count = 0;

  parser.on("error", (error) => {
    throw new XmlError(error.message.replace(/^\d+:\d+: /, ""), parser.line);
  });
  parser.on("doctype", () => {
    throw new TemplateError(
      "TemplateSyntax",
      "A template must not hold a document type definition (<!DOCTYPE).",
      {
        line: parser.line,
      },
    );
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (++count > MAX_ELEMENTS) throw limitError(`a template of more than ${MAX_ELEMENTS} tags`);
    if (open.length >= MAX_DEPTH) throw limitError(`tags nested deeper than ${MAX_DEPTH} levels`);
    for (const one of [name, ...Object.keys(attributes)])
      if (one.includes(":") && !/^xml(?:ns)?:/.test(one))
        throw new XmlError(`unbound prefix in '${one}'`, parser.line);
    const made = element(name, Object.entries(attributes));
    open.at(-1)?.children.push(made);
    root ??= made;
    open.push(made);
    last = undefined;
  });
  parser.on("closetag", () => {
    last = open.pop();
  });
  const text = (added: string) => {
    if (last !== undefined) last.tail += added;
    else {
      const inside = open.at(-1);
      if (inside !== undefined) inside.text += added;
    }
  };
  parser.on("text", text);
  parser.on("cdata", text);
  parser.write(source).close();
  if (root === undefined) throw new XmlError("no element found", 1);
  root.tail = "";
  return root;
}
