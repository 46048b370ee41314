/** YAML from outside: one document, with the line of each part; aliases and depth have limits. */
import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type ScalarTag,
  type YAMLMap,
} from "yaml";
import { importLimits, Problems, refuseAt } from "./document.ts";

export interface ReadYaml {
  readonly value: unknown;
  /** From 1. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

/** What Ansible's vault has encrypted. */
export const vaulted = Symbol("vault");

const vaultTag: ScalarTag = { tag: "!vault", resolve: () => vaulted };
const unsafeTag: ScalarTag = { tag: "!unsafe", resolve: (text) => text };

/** @param where stands before the line: `hosts `. @param version of YAML: 1.1 has yes and no, and `<<`. @throws ServiceError Validation */
export function readYaml(text: string, where: string, version: "1.1" | "1.2" = "1.2"): ReadYaml {
  requireShallow(text, where);
  const lineCounter = new LineCounter();
  const placeOf = (at: number) => {
    const { line, col } = lineCounter.linePos(at);
    return `${where}line ${line}, column ${col}`;
  };
  const find = createFind();
  try {
    const document = parseDocument(text, {
      lineCounter,
      version,
      merge: version === "1.1",
      prettyErrors: false,
      logLevel: "error",
      // Its own search for keys that are there twice takes the square of their number.
      uniqueKeys: false,
      customTags: [vaultTag, unsafeTag],
    });
    const problems = new Problems();
    for (const { pos, message } of document.errors) problems.add(placeOf(pos[0]), quoteless(message));
    problems.check();
    for (const at of repeatedKeys(document.contents)) problems.add(placeOf(at), "the key is there twice");
    problems.check();
    return {
      value: document.toJS({ maxAliasCount: importLimits.aliases }),
      lineOf: (path) => {
        const at = find(document.contents, path);
        return at === undefined ? undefined : lineCounter.linePos(at).line;
      },
    };
  } catch (error) {
    if (error instanceof RangeError) return refuseAt(`${where}line 1`, tooDeep);
    if (!(error instanceof ReferenceError)) throw error;
    const message = /unresolved/i.test(error.message)
      ? "an alias names an anchor that is not there"
      : `its aliases repeat too much: at most ${importLimits.aliases} are read`;
    return refuseAt(`${where}line 1`, message);
  }
}

/** Looks up the members of each map once: a map of ten thousand is not searched ten thousand times. */
function createFind() {
  const maps = new WeakMap<object, Map<unknown, Pair>>();
  const membersOf = (map: YAMLMap) => {
    const known = maps.get(map);
    if (known) return known;
    const members = new Map(map.items.map((pair) => [isScalar(pair.key) ? pair.key.value : pair.key, pair]));
    maps.set(map, members);
    return members;
  };
  /** @returns where the key, or the member of a list, begins */
  return (root: unknown, path: readonly (string | number)[]): number | undefined => {
    let node = root;
    let at: number | undefined;
    for (const step of path) {
      const pair = isMap(node) ? membersOf(node).get(step) : undefined;
      const key = pair ? pair.key : isSeq(node) && typeof step === "number" ? node.items[step] : undefined;
      node = pair ? pair.value : key;
      if (!isNode(key) || !key.range) return at;
      [at] = key.range;
    }
    return at;
  };
}

const tooDeep = "it is nested too deep";

function repeatedKeys(root: unknown): number[] {
  const found: number[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (isSeq(node)) for (const item of node.items) open.push(item);
    if (!isMap(node)) continue;
    const seen = new Set<unknown>();
    for (const { key, value } of node.items) {
      open.push(value);
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) found.push(key.range?.[0] ?? 0);
      seen.add(key.value);
    }
  }
  return found;
}

/** A deep text would be read by recursion: brackets of one line, and blanks before a line, tell its depth. */
function requireShallow(text: string, where: string): void {
  let open = 0;
  let line = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) line++;
    else if (code === 0x5b || code === 0x7b) open++;
    else if (code === 0x5d || code === 0x7d) open = Math.max(0, open - 1);
    if (open > deepest) refuseAt(`${where}line ${line}`, `it is nested deeper than ${deepest} levels`);
  }
}

/** Brackets within texts are counted, too: more than these are no inventory. */
const deepest = 1_000;

/** A parser quotes what it does not understand. */
function quoteless(message: string): string {
  if (/call stack/i.test(message)) return tooDeep;
  return (
    message
      .replace(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`)/g, "…")
      .split("\n")[0]
      ?.slice(0, 200) ?? ""
  );
}
