/**
 * Parses template text to an XML tree: wraps it if it is not XML, and adds an anonymous group if it has no
 * tags.
 */
import { type Element, element, parseXml, XmlError } from "./xml.ts";

export const ANONYMOUS = "_anonymous_";

/**
 * Returns the tree with `<template>` as the root.
 * @param from path of the template, unless it is the caller's own.
 */
export function readTemplate(text: string, from?: string): Element {
  const root = wrapped(text, from);
  if (root.children.length > 0) return root;
  return anonymous(wrap(text, from));
}

/** The same for a modified or nested tree. */
export function asTemplate(root: Element): Element {
  if (root.children.length > 0) return root;
  const around = element("template", [], "\n");
  around.children.push({ ...root, tail: "\n", tailMarks: [] });
  return anonymous(around);
}

function anonymous(content: Element): Element {
  const group = { ...content, tag: "group", attributes: new Map([["name", ANONYMOUS]]), tail: "" };
  const root = element("template");
  root.children.push(group);
  return root;
}

function wrap(text: string, from: string | undefined): Element {
  return parseXml(`<template>\n${text}\n</template>`, { linesBefore: 1, from });
}

const ONE_TEMPLATE = /^\s*(?:<\?xml[^>]*>\s*)?<template[\s>]/i;

function wrapped(text: string, from: string | undefined): Element {
  let failure: XmlError | undefined;
  try {
    const root = parseXml(text, { from });
    if (root.tag.toLowerCase() === "template") return root;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    failure = error;
  }
  try {
    return wrap(text, from);
  } catch (error) {
    // The error of the original text is more helpful than that of the wrapped text.
    const isOwnFailure =
      failure !== undefined && ONE_TEMPLATE.test(text) && !failure.message.includes("root");
    throw isOwnFailure ? failure : error;
  }
}
