/** One element of a parsed XML document. */

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  /** Empty if it has none. */
  readonly prefix: string;
  /** Namespace URI; empty if there is none or the prefix is not declared. */
  readonly namespace: string;
  /** By raw name, including prefixes and namespace declarations. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Text directly inside, including CDATA and excluding children; not trimmed. */
  readonly text: string;
  /** By its name without prefix. */
  attribute(name: string): string | undefined;
  /** The first element at a relative path such as `a/b/c`; `*` matches any name. */
  find(path: string): XmlElement | undefined;
  /** All elements at such a path, in document order. */
  all(path: string): readonly XmlElement[];
  /** The trimmed text of the first element at such a path, or of this one; empty if there is none. */
  textOf(path?: string): string;
  /** All descendants with that name at any depth, in document order. */
  descendants(name: string): readonly XmlElement[];
}
