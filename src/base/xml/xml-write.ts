/** XML serialization, from names and texts or from a parsed tree. */
import { ServiceError } from "../errors.ts";
import type { XmlElement } from "./xml.ts";

/** Serialized XML: embedded in other XML without escaping. */
export class XmlFragment {
  constructor(readonly source: string) {}
  toString(): string {
    return this.source;
  }
}

/** Content of an element: text, which is escaped, or XML. */
export type XmlContent = string | number | XmlFragment;

/**
 * Builds an element: `xml("lock", { "xmlns": "…" }, xml("target", {}, xml("candidate")))`. Undefined attributes are
 * omitted.
 * @throws PluginError DriverError: an invalid name, or a character that XML cannot represent
 */
export function xml(
  name: string,
  attributes: Readonly<Record<string, string | number | boolean | undefined>> = {},
  ...content: readonly XmlContent[]
): XmlFragment {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${checkedName(key)}="${escapeXml(String(value))}"`)
    .join("");
  const inside = content
    .map((part) => (part instanceof XmlFragment ? part.source : escapeXml(String(part))))
    .join("");
  const tag = checkedName(name);
  return new XmlFragment(inside === "" ? `<${tag}${written}/>` : `<${tag}${written}>${inside}</${tag}>`);
}

function checkedName(name: string): string {
  if (/^[\p{L}_][\p{L}\p{N}._-]*(?::[\p{L}_][\p{L}\p{N}._-]*)?$/u.test(name)) return name;
  throw new ServiceError("DriverError", `${JSON.stringify(name)} is not a name in XML.`, { outcome: "none" });
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  // A parser turns a bare one into a line feed.
  "\r": "&#13;",
};

/**
 * Escapes text for elements and attributes.
 * @throws PluginError DriverError: a character that XML cannot represent
 */
export function escapeXml(text: string): string {
  const bad =
    /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.exec(
      text,
    );
  if (bad !== null) {
    const code = bad[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    throw new ServiceError("DriverError", `The text holds the character U+${code}, which XML cannot carry.`, {
      outcome: "none",
    });
  }
  return text.replace(/[&<>"'\r]/g, (character) => escapes[character] ?? character);
}

/**
 * Pretty-prints a tree with an indent of two spaces; white space between elements is dropped. Namespaces are declared.
 */
export function formatXml(element: XmlElement): string {
  return formatted(element, "", undefined);
}

/** Namespace declarations of enclosing elements by prefix, as a linked list: a device may declare thousands. */
interface Declared {
  readonly declarations: ReadonlyMap<string, string>;
  readonly outer: Declared | undefined;
}

function declaredOf(scope: Declared | undefined, prefix: string): string {
  const declaration = declarationOf(prefix);
  for (let at = scope; at !== undefined; at = at.outer) {
    const namespace = at.declarations.get(declaration);
    if (namespace !== undefined) return namespace;
  }
  return "";
}

const declarationOf = (prefix: string) => (prefix === "" ? "xmlns" : `xmlns:${prefix}`);

function formatted(element: XmlElement, indent: string, outer: Declared | undefined): string {
  const { prefix, namespace, attributes, children } = element;
  const tag = prefix === "" ? element.name : `${prefix}:${element.name}`;
  const declarations = new Map(attributes);
  const declaration = declarationOf(prefix);
  if (declaredOf(outer, prefix) !== namespace && !declarations.has(declaration))
    declarations.set(declaration, namespace);
  const written = [...declarations].map(([name, value]) => ` ${name}="${escapeXml(value)}"`).join("");
  const text = children.length === 0 ? element.text : element.textOf();
  if (children.length === 0)
    return text === ""
      ? `${indent}<${tag}${written}/>\n`
      : `${indent}<${tag}${written}>${escapeXml(text)}</${tag}>\n`;
  const scope = declarations.size === 0 ? outer : { declarations, outer };
  const inside = children.map((child) => formatted(child, `${indent}  `, scope)).join("");
  const beside = text === "" ? "" : `${indent}  ${escapeXml(text)}\n`;
  return `${indent}<${tag}${written}>\n${beside}${inside}${indent}</${tag}>\n`;
}
