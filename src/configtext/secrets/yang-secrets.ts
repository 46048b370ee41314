/** Secrets of YANG data, as JSON or XML with a line for each value, that only the lines above tell: general rules too. */
import type { Span } from "./secret-words.ts";

/** `"name": "…"`, `<name>…</name>` of an entry whose key is a community. */
const entryName =
  /^\s{0,200}(?:"(?:[\w.-]{1,64}:)?(?:text-|binary-)?name"\s?:\s?"(?<json>[^"]{1,256})"|<(?:[\w.-]{1,64}:)?(?:text-|binary-)?name(?:\s[^<>]{0,256})?>(?<xml>[^<>]{1,256})<\/)/d;
const community = /^\s*["<](?:[\w.-]{1,64}:)?community(?:-config)?\b(?!-)/;
const snmp = /snmp/;

/** An entry of a list that has a line of its own: `"…",`. */
const listValue = /^\s{0,200}"(?<value>(?:[^"\\]|\\.){1,4096})",?\s*$/d;
const secretList =
  /^\s*"(?:[\w.-]{1,64}:)?(?:[\w.-]{1,64}-)?(?:password|passphrase|secret|psk|pre-shared-key|private-key|token|key-string)"\s?:\s?\[$/;

/** What may be one, by its first letters: most lines of other texts are not. */
const hint = /^\s*(?:"|<(?:[\w.-]{1,64}:)?(?:text-|binary-)?name\b)/;

/** @param parents the lines above, the nearest first, in lower case */
export function yangSecret(line: string, parents: () => readonly string[]): Span | undefined {
  if (!hint.test(line)) return undefined;
  const name = entryName.exec(line)?.indices?.groups;
  const range = name?.json ?? name?.xml;
  if (range !== undefined) {
    const above = parents();
    const owner = above.find((parent) => parent.trim() !== "{") ?? "";
    return community.test(owner) && above.some((parent) => snmp.test(parent)) ? spanOf(range) : undefined;
  }
  const value = listValue.exec(line)?.indices?.groups?.value;
  return value !== undefined && secretList.test(parents()[0] ?? "") ? spanOf(value) : undefined;
}

const spanOf = ([from, to]: readonly [number, number]): Span => ({ from, to });
