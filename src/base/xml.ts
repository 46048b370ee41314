/**
 * XML from devices, as a small tree that is read and not changed. A document type definition, and so every entity but
 * the five predefined ones, is refused. Namespaces are known; names are compared without their prefixes.
 */
import { SaxesParser } from "saxes";
import { ServiceError } from "./errors.ts";

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

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  /** Empty where it has none. */
  readonly prefix: string;
  /** The name of its namespace; empty where it has none, or its prefix is not declared. */
  readonly namespace: string;
  /** By the names as they stand in the text, prefixes and declarations of namespaces included. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** What stands directly inside, CDATA included, children left out; not trimmed. */
  readonly text: string;
  /** By its name without prefix. */
  attribute(name: string): string | undefined;
  /** The first element at a path of names such as `a/b/c`, seen from here; `*` is any name. */
  find(path: string): XmlElement | undefined;
  /** All elements at such a path, in the order of the text. */
  all(path: string): readonly XmlElement[];
  /** The trimmed text of the first element at such a path, or of this one; empty where there is none. */
  textOf(path?: string): string;
  /** All elements of that name below this one, at any depth, in the order of the text. */
  descendants(name: string): readonly XmlElement[];
}

const defaults: Required<XmlLimits> = {
  length: 32 * 1024 * 1024,
  depth: 256,
  elements: 500_000,
  attributes: 500_000,
};

const nothing: ReadonlyMap<string, string> = new Map();
const childless: readonly XmlElement[] = [];

class Element implements XmlElement {
  readonly name: string;
  readonly prefix: string;
  text = "";
  children: Element[] | readonly XmlElement[] = childless;

  constructor(
    readonly qualified: string,
    readonly attributes: ReadonlyMap<string, string>,
    readonly namespace: string,
  ) {
    const colon = qualified.indexOf(":");
    this.prefix = colon < 0 ? "" : qualified.slice(0, colon);
    this.name = colon < 0 ? qualified : qualified.slice(colon + 1);
  }

  add(child: Element): void {
    if (this.children === childless) this.children = [child];
    else (this.children as Element[]).push(child);
  }

  attribute(name: string): string | undefined {
    for (const [key, value] of this.attributes) if (localName(key) === name) return value;
    return undefined;
  }

  find(path: string): XmlElement | undefined {
    const slash = path.indexOf("/");
    const first = slash < 0 ? path : path.slice(0, slash);
    for (const child of this.children) {
      if (first !== "*" && child.name !== first) continue;
      const found = slash < 0 ? child : child.find(path.slice(slash + 1));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  all(path: string): readonly XmlElement[] {
    let found: readonly XmlElement[] = [this];
    for (const step of path.split("/"))
      found = found.flatMap(({ children }) => children.filter(({ name }) => step === "*" || name === step));
    return found;
  }

  textOf(path?: string): string {
    return (path === undefined ? this.text : (this.find(path)?.text ?? "")).trim();
  }

  descendants(name: string): readonly XmlElement[] {
    const found: XmlElement[] = [];
    const look = (children: readonly XmlElement[]) => {
      for (const child of children) {
        if (child.name === name) found.push(child);
        look(child.children);
      }
    };
    look(this.children);
    return found;
  }
}

function localName(qualified: string): string {
  return qualified.slice(qualified.indexOf(":") + 1);
}

/**
 * One document; white space before it does not matter.
 * @throws PluginError DriverError with `line` and `column` (both from 1): not well-formed, a document type definition, an
 * entity that is not predefined; OutputTooLarge: over a limit
 */
export function parseXml(source: string, limits: XmlLimits = {}): XmlElement {
  const most = { ...defaults, ...limits };
  if (source.length > most.length) throw tooLarge(`longer than ${most.length} characters`);
  const begin = source.search(/[^\s\uFEFF]/);
  const parser = new SaxesParser();
  const tree = new TreeBuilder(most);
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
  parser.on("opentag", ({ name, attributes }) => tree.open(name, attributes));
  parser.on("closetag", () => tree.close());
  parser.on("text", (text) => tree.text(text));
  parser.on("cdata", (text) => tree.text(text));
  parser.write(begin > 0 ? source.slice(begin) : source).close();
  if (tree.root === undefined) throw fault("there is no element");
  return tree.root;
}

class TreeBuilder {
  root: Element | undefined;
  /** The innermost one that is open; those around it. */
  #current: Element | undefined;
  readonly #around: (Element | undefined)[] = [];
  /** One for each open element; shared where an element declares nothing. */
  readonly #scopes: (Scope | undefined)[] = [];
  #elements = 0;
  #attributes = 0;

  constructor(readonly limits: Required<XmlLimits>) {}

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const { limits } = this;
    if (++this.#elements > limits.elements) throw tooLarge(`of more than ${limits.elements} elements`);
    if (this.#around.length >= limits.depth) throw tooLarge(`nested deeper than ${limits.depth} levels`);
    let own: Map<string, string> | undefined;
    let scope = this.#scopes.at(-1);
    for (const key in attributes) {
      if (++this.#attributes > limits.attributes)
        throw tooLarge(`of more than ${limits.attributes} attributes`);
      own ??= new Map();
      own.set(key, attributes[key] ?? "");
    }
    if (own !== undefined) scope = withDeclared(scope, own);
    const colon = name.indexOf(":");
    const namespace = namespaceOf(scope, colon < 0 ? "" : name.slice(0, colon));
    const element = new Element(name, own ?? nothing, namespace);
    this.#current?.add(element);
    this.root ??= element;
    this.#around.push(this.#current);
    this.#current = element;
    this.#scopes.push(scope);
  }

  close(): void {
    this.#current = this.#around.pop();
    this.#scopes.pop();
  }

  text(text: string): void {
    if (this.#current !== undefined) this.#current.text += text;
  }
}

/** What an element declares, by prefix; never copied: a device may declare thousands, and overlay them in each element. */
interface Scope {
  readonly declared: ReadonlyMap<string, string>;
  readonly outer: Scope | undefined;
}

function withDeclared(outer: Scope | undefined, attributes: ReadonlyMap<string, string>): Scope | undefined {
  let declared: Map<string, string> | undefined;
  for (const [name, value] of attributes) {
    if (name !== "xmlns" && !name.startsWith("xmlns:")) continue;
    declared ??= new Map();
    declared.set(name.slice("xmlns:".length), value);
  }
  return declared === undefined ? outer : { declared, outer };
}

function namespaceOf(scope: Scope | undefined, prefix: string): string {
  for (let at = scope; at !== undefined; at = at.outer) {
    const found = at.declared.get(prefix);
    if (found !== undefined) return found;
  }
  return "";
}

function tooLarge(what: string): ServiceError {
  return new ServiceError("OutputTooLarge", `The XML is ${what}.`);
}
