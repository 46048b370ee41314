/** Paths as callers write them, `origin:/name[key=value]/name`, and as devices have them. Loaded with the manifest. */
import { PluginError } from "patchbay/plugin";

export interface PathElement {
  readonly name: string;
  readonly key: Readonly<Record<string, string>>;
}

export interface GnmiPath {
  /** Empty: the device's own. */
  readonly origin: string;
  readonly elem: readonly PathElement[];
}

export type ReadPath = { readonly path: GnmiPath } | { readonly fault: string };

const longest = 8_192;
const mostElements = 128;
const mostKeys = 32;
const controls = /[\x00-\x1f\x7f]|[\ud800-\udfff]/u;

class Fault extends Error {}

/** Keys may contain anything but `]` and `\`, which have a `\` in front; `\n`, `\r` and `\u1234` are read, too. */
export function readPath(text: string): ReadPath {
  try {
    return { path: parsed(text.trim()) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    throw error;
  }
}

function parsed(text: string): GnmiPath {
  if (text.length > longest) throw new Fault(`is longer than ${longest} characters`);
  if (controls.test(text)) throw new Fault("must not contain control characters: they are written as \\n");
  const [, origin = "", rest = ""] = /^(?:([A-Za-z_][\w.-]*):(?=\/|$))?(.*)$/su.exec(text) ?? [];
  const body = rest.replace(/^\//, "").replace(/(?<!\\)\/$/, "");
  if (body === "") {
    if (text === "") throw new Fault("must not be empty: the root is /");
    return { origin, elem: [] };
  }
  const elem: PathElement[] = [];
  for (let at = 0; at <= body.length; ) {
    const read = element(body, at);
    elem.push(read.element);
    if (elem.length > mostElements) throw new Fault(`has more than ${mostElements} elements`);
    at = read.end + 1;
  }
  return { origin, elem };
}

function element(text: string, start: number): { element: PathElement; end: number } {
  const named = upTo(text, start, "/[");
  if (named.text === "") throw new Fault("has an empty element");
  if (named.text === "." || named.text === "..") throw new Fault("must not contain . or ..");
  const key = new Map<string, string>();
  let at = named.end;
  while (text[at] === "[") {
    const name = upTo(text, at + 1, "=/[]");
    if (text[name.end] !== "=" || name.text === "")
      throw new Fault(`has a key of ${named.text.slice(0, 40)} that is not [name=value]`);
    const value = upTo(text, name.end + 1, "]");
    if (text[value.end] !== "]")
      throw new Fault(`has a key of ${named.text.slice(0, 40)} without ]: in a value, ] is written as \\]`);
    if (key.has(name.text)) throw new Fault(`has the key ${name.text.slice(0, 40)} twice`);
    key.set(name.text, value.text);
    if (key.size > mostKeys) throw new Fault(`has more than ${mostKeys} keys in one element`);
    at = value.end + 1;
  }
  if (at < text.length && text[at] !== "/")
    throw new Fault(`has "${text.slice(at, at + 20)}" behind a key, and / is wanted`);
  return { element: { name: named.text, key: Object.fromEntries(key) }, end: at };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r" };

function upTo(text: string, start: number, ends: string): { text: string; end: number } {
  let found = "";
  let at = start;
  while (at < text.length && !ends.includes(text.charAt(at))) {
    if (text[at] !== "\\") {
      found += text.charAt(at++);
      continue;
    }
    const next = text.charAt(at + 1);
    const unicode = /^u([0-9A-Fa-f]{4})/.exec(text.slice(at + 1, at + 6))?.[1];
    if (unicode !== undefined) {
      found += String.fromCharCode(Number.parseInt(unicode, 16));
      at += 6;
    } else if (next !== "" && "nr\\/[]=:".includes(next)) {
      found += escapes[next] ?? next;
      at += 2;
    } else throw new Fault("has a \\ that escapes nothing: it is written as \\\\");
  }
  return { text: found, end: at };
}

const escaped = (text: string, what: RegExp) =>
  text.replace(what, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r");

/** Keys in the order of their names, as the specification has it. */
export function pathText({ origin, elem }: GnmiPath): string {
  const elements = elem.map(({ name, key }) => {
    const keys = Object.entries(key).sort(([one], [other]) => (one < other ? -1 : 1));
    return `${escaped(name, /[\\/[]/g)}${keys.map(([of, value]) => `[${escaped(of, /[\\=[\]/]/g)}=${escaped(value, /[\\\]]/g)}]`).join("")}`;
  });
  return `${origin === "" ? "" : `${origin}:`}/${elements.join("/")}`;
}

/** Whether it may name more than one node. */
export const isWildcard = ({ elem }: GnmiPath): boolean =>
  elem.some(({ name, key }) => name === "*" || name === "..." || Object.values(key).includes("*"));

/** Whether a path is below a pattern, or the same. A key that the pattern leaves out may have any value. */
export function isWithin(path: GnmiPath, pattern: GnmiPath): boolean {
  return matches(path.elem, pattern.elem);
}

function matches(path: readonly PathElement[], pattern: readonly PathElement[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return true;
  if (first.name === "...") return path.some((_, at) => matches(path.slice(at), rest)) || rest.length === 0;
  const [own, ...below] = path;
  if (own === undefined || (first.name !== "*" && bare(first.name) !== bare(own.name))) return false;
  const isSame = Object.entries(first.key).every(
    ([name, value]) => value === "*" || own.key[name] === undefined || own.key[name] === value,
  );
  return isSame && matches(below, rest);
}

/** Some devices put the name of the module in front. */
const bare = (name: string) => name.slice(name.indexOf(":") + 1);

export const isSamePath = (one: GnmiPath, other: GnmiPath): boolean =>
  one.elem.length === other.elem.length && isWithin(one, other);

/** @throws PluginError DriverError */
export function requirePath(text: string, what: string): GnmiPath {
  const found = readPath(text);
  if ("path" in found) return found.path;
  throw new PluginError("DriverError", `${what}: ${found.fault}.`, { outcome: "none" });
}
