/** What a template text is as a tree: wrapped where it is no XML, one anonymous group where it has no tags. */
import { type Element, element, parseXml, XmlError } from "./xml.ts";

export const ANONYMOUS = "_anonymous_";

/** The tree with `<template>` on top. */
export function readTemplate(text: string): Element {
  const root = wrapped(text);
  if (root.children.length > 0) return root;
  return anonymous(parseXml(`<template>\n${text}\n</template>`));
}

/** The same for a tree that was changed, or is a part of another one. */
export function asTemplate(root: Element): Element {
  if (root.children.length > 0) return root;
  const around = element("template", [], "\n");
  around.children.push({ ...root, tail: "\n" });
  return anonymous(around);
}

function anonymous(content: Element): Element {
  const group = { ...content, tag: "group", attributes: new Map([["name", ANONYMOUS]]), tail: "" };
  const root = element("template");
  root.children.push(group);
  return root;
}

function wrapped(text: string): Element {
  try {
    const root = parseXml(text);
    if (root.tag.toLowerCase() === "template") return root;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
  }
  return parseXml(`<template>\n${text}\n</template>`);
}
