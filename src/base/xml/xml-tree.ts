/**
 * A parsed XML document as columns of numbers: a device's answer has thousands of elements, of which few are used.
 * Element objects are created on demand; texts stay in the source until then.
 */
import type { XmlElement } from "./xml-element.ts";

const nothing: ReadonlyMap<string, string> = new Map();

/** The runtime packs number arrays, and the garbage collector does not scan them. */
export class XmlTree {
  /** Whether the parser may have normalized line ends; texts then differ from the source. */
  readonly #changed: boolean;
  readonly #numbers = new Map<string, number>();
  /** Prefix and local name by index of the raw name. */
  readonly prefixes: string[] = [];
  readonly locals: string[] = [];
  /** Per element: its name, its parent (-1: none), the first element after its descendants, its first text piece. */
  readonly names: number[] = [];
  readonly around: number[] = [];
  readonly ends: number[] = [];
  readonly #firstPieces: number[] = [];
  readonly attributes = new Map<number, ReadonlyMap<string, string>>();
  /** Per text piece: its element and its range in the source; if `to` is negative, `from` indexes `#told`. */
  readonly #owners: number[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #told: string[] = [];
  readonly #made: (Element | undefined)[] = [];
  #current = -1;
  depth = 0;

  constructor(readonly source: string) {
    this.#changed = source.includes("\r") || source.includes("\u0085") || source.includes("\u2028");
  }

  open(name: string, attributes: ReadonlyMap<string, string> | undefined): void {
    const at = this.names.length;
    this.names.push(this.#numberOf(name));
    this.around.push(this.#current);
    this.ends.push(at + 1);
    this.#firstPieces.push(this.#owners.length);
    if (attributes !== undefined) this.attributes.set(at, attributes);
    this.#current = at;
    this.depth++;
  }

  close(): void {
    this.ends[this.#current] = this.names.length;
    this.#current = this.around[this.#current] ?? -1;
    this.depth--;
  }

  /** @param from start of the text in the source, and `to` its end, if the parser did not change it */
  text(text: string, from: number, to: number): void {
    if (this.#current < 0) return;
    this.#owners.push(this.#current);
    const isThere = !this.#changed && to - from === text.length;
    this.#from.push(isThere ? from : this.#told.length);
    this.#to.push(isThere ? to : -1);
    if (!isThere) this.#told.push(text);
  }

  #numberOf(name: string): number {
    const existing = this.#numbers.get(name);
    if (existing !== undefined) return existing;
    const number = this.locals.length;
    const colon = name.indexOf(":");
    this.prefixes.push(colon < 0 ? "" : name.slice(0, colon));
    this.locals.push(colon < 0 ? name : name.slice(colon + 1));
    this.#numbers.set(name, number);
    return number;
  }

  element(at: number): Element {
    const element = this.#made[at] ?? new Element(this, at);
    this.#made[at] = element;
    return element;
  }

  nameOf(at: number): string {
    return this.locals[this.names[at] ?? 0] ?? "";
  }

  endOf(at: number): number {
    return this.ends[at] ?? 0;
  }

  textOf(at: number): string {
    const last = this.#firstPieces[this.endOf(at)] ?? this.#owners.length;
    let text = "";
    for (let piece = this.#firstPieces[at] ?? last; piece < last; piece++) {
      if (this.#owners[piece] !== at) continue;
      const [from = 0, to = 0] = [this.#from[piece], this.#to[piece]];
      text += to < 0 ? (this.#told[from] ?? "") : this.source.slice(from, to);
    }
    return text;
  }

  /** Namespace declared by the innermost enclosing element. */
  namespaceOf(at: number, prefix: string): string {
    const declaration = prefix === "" ? "xmlns" : `xmlns:${prefix}`;
    for (let scope = at; scope >= 0; scope = this.around[scope] ?? -1) {
      const value = this.attributes.get(scope)?.get(declaration);
      if (value !== undefined) return value;
    }
    return "";
  }
}

class Element implements XmlElement {
  readonly #tree: XmlTree;
  readonly #at: number;
  #children: readonly Element[] | undefined;

  constructor(tree: XmlTree, at: number) {
    this.#tree = tree;
    this.#at = at;
  }

  get name(): string {
    return this.#tree.nameOf(this.#at);
  }

  get prefix(): string {
    return this.#tree.prefixes[this.#tree.names[this.#at] ?? 0] ?? "";
  }

  get namespace(): string {
    return this.#tree.namespaceOf(this.#at, this.prefix);
  }

  get attributes(): ReadonlyMap<string, string> {
    return this.#tree.attributes.get(this.#at) ?? nothing;
  }

  get children(): readonly Element[] {
    this.#children ??= this.#named("*").map((at) => this.#tree.element(at));
    return this.#children;
  }

  get text(): string {
    return this.#tree.textOf(this.#at);
  }

  attribute(name: string): string | undefined {
    for (const [key, value] of this.attributes) if (key.slice(key.indexOf(":") + 1) === name) return value;
    return undefined;
  }

  find(path: string): XmlElement | undefined {
    const at = this.#find(this.#at, path);
    return at < 0 ? undefined : this.#tree.element(at);
  }

  all(path: string): readonly XmlElement[] {
    let matches: readonly number[] = [this.#at];
    for (const step of path.split("/")) matches = matches.flatMap((at) => this.#named(step, at));
    return matches.map((at) => this.#tree.element(at));
  }

  textOf(path?: string): string {
    const at = path === undefined ? this.#at : this.#find(this.#at, path);
    return at < 0 ? "" : this.#tree.textOf(at).trim();
  }

  descendants(name: string): readonly XmlElement[] {
    const tree = this.#tree;
    const elements: XmlElement[] = [];
    const end = tree.endOf(this.#at);
    for (let at = this.#at + 1; at < end; at++) if (tree.nameOf(at) === name) elements.push(tree.element(at));
    return elements;
  }

  /** -1: none. */
  #find(from: number, path: string): number {
    const tree = this.#tree;
    const slash = path.indexOf("/");
    const first = slash < 0 ? path : path.slice(0, slash);
    const end = tree.endOf(from);
    for (let at = from + 1; at < end; at = tree.endOf(at)) {
      if (first !== "*" && tree.nameOf(at) !== first) continue;
      const match = slash < 0 ? at : this.#find(at, path.slice(slash + 1));
      if (match >= 0) return match;
    }
    return -1;
  }

  #named(name: string, from = this.#at): number[] {
    const tree = this.#tree;
    const matches: number[] = [];
    const end = tree.endOf(from);
    for (let at = from + 1; at < end; at = tree.endOf(at))
      if (name === "*" || tree.nameOf(at) === name) matches.push(at);
    return matches;
  }
}
