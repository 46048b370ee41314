/** One element of an XML document that was read. */

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
