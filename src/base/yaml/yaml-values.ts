/** The values of a YAML document in one of the dialects: scalars, merge keys, anchors, tags. */
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { ExactNumber, orderedEntries, orderedRecord } from "../json/exact-json.ts";
import { isRecord } from "../json/members.ts";
import {
  kindOfScalar,
  pythonBytes,
  type ReadScalar,
  readScalar,
  vaulted,
  type YamlDialect,
  yamlRules,
} from "./yaml-dialects.ts";

/** A fault in the text, with its offset. */
export class YamlFault extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

/** Aliases may add this many characters: an alias costs nothing here, but its value is written once per use. */
const maxExpanded = 32 * 1024 * 1024;
const standardTag = "tag:yaml.org,2002:";

interface Anchored {
  readonly value: unknown;
  readonly size: number;
}

export interface Reading {
  readonly document: Document.Parsed;
  readonly text: string;
  readonly dialect: YamlDialect;
  /** Takes what the values cannot hold, and keys that appear twice. */
  readonly tell: (at: number, message: string) => void;
}

/** @throws YamlFault */
export function yamlValue({ document, text, dialect, tell }: Reading): unknown {
  const rules = yamlRules[dialect];
  const anchors = new Map<string, Anchored | undefined>();
  /** Characters of all values so far, those of aliases included. */
  let size = 0;
  let expanded = 0;

  function node(item: unknown): unknown {
    size++;
    if (isAlias(item)) return aliased(item.source, startOf(item));
    if (!isScalar(item) && !isSeq(item) && !isMap(item)) return null;
    const before = size;
    const { anchor } = item;
    if (anchor !== undefined) anchors.set(anchor, undefined);
    const value = isScalar(item) ? scalarNode(item) : isSeq(item) ? listNode(item) : mapNode(item);
    if (anchor !== undefined) anchors.set(anchor, { value, size: size - before });
    return value;
  }

  function aliased(name: string, at: number): unknown {
    const target = anchors.get(name);
    if (target === undefined)
      throw new YamlFault(
        at,
        anchors.has(name) ? "an alias stands within its own anchor" : "an alias names an unknown anchor",
      );
    expand(target.size, at);
    return target.value;
  }

  function expand(by: number, at: number): void {
    size += by;
    expanded += by;
    if (expanded > maxExpanded) throw new YamlFault(at, "it has too many alias expansions");
  }

  function scalarNode(item: Scalar): unknown {
    const at = startOf(item);
    const source = blockText(item, text);
    size += source.length;
    const tag = item.tag?.startsWith(standardTag) ? item.tag.slice(standardTag.length) : item.tag;
    if (tag === "!vault" && rules.ansibleTags) return vaulted;
    if (tag === "!vault-encrypted" && rules.ansibleTags) return vaulted;
    if (tag === "str" || (tag === "!unsafe" && rules.ansibleTags)) return source;
    if (tag === "binary") return taken(binaryText(source), at, "binary data");
    if (tag === undefined || tag === "!" || tag === "?") {
      const kind = item.type === "PLAIN" ? kindOfScalar(source, dialect) : "text";
      if ((kind === "value" || kind === "merge") && dialect !== "core")
        throw new YamlFault(at, `a value that is only ${source} must be quoted: it is a key word of YAML`);
      return taken(readScalar(source, kind, dialect), at, kind === "timestamp" ? "date" : "number");
    }
    const kind = (["null", "bool", "int", "float", "timestamp"] as const).find((name) => name === tag);
    if (kind === undefined) throw unknownTag(tag, at);
    const read = kind === "float" ? readScalar(source, "float", dialect) : readScalar(source, kind, dialect);
    return taken(read, at, tag);
  }

  function taken(read: ReadScalar | undefined, at: number, kind: string): unknown {
    if (read === undefined)
      throw new YamlFault(at, `it looks like a ${kind} and is none: quote it to keep it as text`);
    if (read.lost !== undefined) tell(at, read.lost);
    return read.value;
  }

  function unknownTag(tag: string, at: number): YamlFault {
    const known = rules.ansibleTags ? " (known are !vault, !unsafe and the standard ones)" : "";
    return new YamlFault(
      at,
      `the tag ${(tag.startsWith("!") ? tag : `!!${tag}`).slice(0, 64)} is unknown${known}`,
    );
  }

  function listNode(item: { tag?: string; items: unknown[] }): unknown {
    const tag = collectionTag(item);
    if (tag === undefined || tag === "seq") return item.items.map(node);
    if (tag !== "omap" && tag !== "pairs") throw unknownTag(tag, startOf(item));
    const pairs = item.items.map((member) => pairIn(member));
    if (tag === "omap" && dialect !== "pyyaml") return orderedRecord(pairs);
    tell(startOf(item), "ordered pairs became a list of lists");
    return pairs;
  }

  /** An item of `!!omap` or `!!pairs`. */
  function pairIn(item: unknown): [string, unknown] {
    const pair = isPair(item) ? item : isMap(item) && item.items.length === 1 ? item.items[0] : undefined;
    if (pair === undefined) throw new YamlFault(startOf(item), "each item must be a mapping with one key");
    return [keyOf(pair.key), node(pair.value)];
  }

  function mapNode(item: YAMLMap): unknown {
    const tag = collectionTag(item);
    if (tag === "set") {
      tell(startOf(item), "a set became a list");
      return item.items.map(({ key }) => node(key));
    }
    if (tag !== undefined && tag !== "map") throw unknownTag(tag, startOf(item));
    const merged: [string, unknown][] = [];
    const members = new Map<string, unknown>();
    for (const { key, value } of item.items as Pair[]) {
      if (isScalar(key) && isMerge(key)) {
        // The first of several sources wins, and the last one stands first.
        merged.unshift(...mergedFrom(value, startOf(key)));
        continue;
      }
      const name = keyOf(key);
      if (members.has(name)) repeated(name, startOf(key));
      members.set(name, node(value));
    }
    return orderedRecord([...merged, ...members]);
  }

  const isMerge = ({ type, tag, value }: Scalar) => type === "PLAIN" && tag === undefined && value === "<<";

  function mergedFrom(item: unknown, at: number): [string, unknown][] {
    const before = size;
    const value = node(item);
    expand(size - before, at);
    const sources: readonly unknown[] = Array.isArray(value) ? value : [value];
    return sources.toReversed().flatMap((source) => {
      if (isRecord(source)) return orderedEntries(source);
      throw new YamlFault(at, "<< takes a mapping, or a list of them");
    });
  }

  function repeated(name: string, at: number): void {
    const key = JSON.stringify(name.slice(0, 64));
    if (!rules.lastKeyWins) throw new YamlFault(at, `the key ${key} appears twice`);
    tell(at, `the key ${key} appears twice: the last one is used`);
  }

  /** The name that Python's JSON gives a key. */
  function keyOf(item: unknown): string {
    if (isScalar(item) && item.type === "PLAIN" && item.value === "=" && item.tag === undefined) return "=";
    const key = node(item);
    if (typeof key === "string") return key;
    if (typeof key === "object" && key !== null && !(key instanceof ExactNumber))
      throw new YamlFault(startOf(item), "a key must be text or a number");
    if (key === vaulted) throw new YamlFault(startOf(item), "a key must not be encrypted");
    tell(startOf(item), "a key that is no text became text");
    return String(key);
  }

  return node(document.contents);
}

/** The tag without the standard prefix; undefined: none. */
function collectionTag({ tag }: { readonly tag?: string }): string | undefined {
  if (tag === undefined || tag === "!" || tag === "!unsafe") return undefined;
  return tag.startsWith(standardTag) ? tag.slice(standardTag.length) : tag;
}

function startOf(item: unknown): number {
  const range = typeof item === "object" && item !== null && "range" in item ? item.range : undefined;
  return Array.isArray(range) && typeof range[0] === "number" ? range[0] : 0;
}

/** A block scalar that ends with the text, without a line break, ends without one. */
function blockText(item: Scalar, text: string): string {
  // The library decodes dates and binary data itself.
  const value = typeof item.value === "string" ? item.value : (item.source ?? "");
  if ((item.type !== "BLOCK_LITERAL" && item.type !== "BLOCK_FOLDED") || !value.endsWith("\n")) return value;
  const isLast = (item.range?.[1] ?? 0) >= text.length && !/[\r\n]$/.test(text);
  return isLast ? value.slice(0, -1) : value;
}

/** Bytes as Python prints them. */
function binaryText(base64: string): ReadScalar | undefined {
  const bare = base64.replace(/\s/g, "");
  if (!/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(bare)) return undefined;
  return { value: pythonBytes(Buffer.from(bare, "base64")), lost: "binary data became text" };
}
