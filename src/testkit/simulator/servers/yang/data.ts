/** Data of a simulated device as JSON of RFC 7951: checked by its modules, found by paths, merged, and shown in part. */
import { isRecord } from "../../../../base/json/members.ts";
import { type Children, type Inner, isLeaf, type Leaf, moduleOf, modules, type Node } from "./schema.ts";

export type Data = Record<string, unknown>;

/** A request that the device refuses, as an error of NETCONF and RESTCONF. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly tag: string,
    message: string,
    readonly path?: string,
  ) {
    super(message);
  }
}

/** The root, whose children have the names of their modules in front. */
export const root: Inner = {
  kind: "container",
  children: Object.fromEntries(
    modules.flatMap(({ name, nodes }) =>
      Object.entries(nodes).map(([node, definition]) => [`${name}:${node}`, definition] as const),
    ),
  ),
};

/** One step of a path: the name as in data, and the keys of an entry. */
export interface Step {
  readonly name: string;
  readonly node: Node;
  readonly keys: Data | undefined;
}

/** @param segments percent-encoded, as in RFC 8040, section 3.5.3 */
export function stepsOf(segments: readonly string[]): readonly Step[] {
  const steps: Step[] = [];
  let children: Children = root.children;
  let module = "";
  for (const segment of segments) {
    const at = segment.indexOf("=");
    const written = decodeURIComponent(at < 0 ? segment : segment.slice(0, at));
    const [, prefix, local = ""] = /^(?:([^:]+):)?(.+)$/.exec(written) ?? [];
    const name = steps.length === 0 ? written : prefix === module ? local : written;
    const node = Object.hasOwn(children, name) ? children[name] : undefined;
    if (node === undefined) throw new Refusal(400, "unknown-element", `There is no "${written}" here.`);
    if (steps.length === 0) module = prefix ?? "";
    steps.push({ name, node, keys: keysOf(node, at < 0 ? undefined : segment.slice(at + 1), written) });
    children = isLeaf(node) ? {} : node.children;
  }
  return steps;
}

function keysOf(node: Node, text: string | undefined, name: string): Data | undefined {
  if (text === undefined) return undefined;
  if (node.kind !== "list") throw new Refusal(400, "invalid-value", `"${name}" has no keys.`);
  const values = text.split(",").map(decodeURIComponent);
  if (values.length !== node.keys.length)
    throw new Refusal(400, "invalid-value", `"${name}" has ${node.keys.length} keys.`);
  return Object.fromEntries(node.keys.map((key, at) => [key, values[at]]));
}

export const matches = (entry: unknown, keys: Data): boolean =>
  isRecord(entry) && Object.entries(keys).every(([key, value]) => String(entry[key]) === value);

export const entriesOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The value at a path; undefined: it is absent. */
export function valueAt(data: unknown, steps: readonly Step[]): unknown {
  let at = data;
  for (const { name, keys } of steps) {
    if (!isRecord(at)) return undefined;
    const record: Data = at;
    const value = record[name];
    at = keys === undefined ? value : entriesOf(value).find((entry) => matches(entry, keys));
  }
  return at;
}

/** The object that holds the last step, made if it is absent. */
export function holderOf(data: Data, steps: readonly Step[]): Data {
  let at = data;
  for (const { name, keys, node } of steps.slice(0, -1)) {
    if (node.kind === "list" && keys !== undefined) {
      const list = entriesOf(at[name]);
      at[name] = list;
      const found = list.find((one) => matches(one, keys));
      const entry: Data = isRecord(found) ? found : { ...keys };
      if (found === undefined) list.push(entry);
      at = entry;
    } else {
      const inner = at[name];
      const next: Data = isRecord(inner) ? inner : {};
      at[name] = next;
      at = next;
    }
  }
  return at;
}

/** @throws Refusal: a member that no module has, a wrong type, a key or a mandatory leaf that is missing, a state */
export function check(node: Node, value: unknown, path: string): void {
  if (node.config === false) throw new Refusal(405, "operation-not-supported", "It is state.", path);
  const why = faultOf(node, value, path);
  if (why !== undefined) throw new Refusal(400, "invalid-value", `${why}.`, path);
}

function faultOf(node: Node, value: unknown, path: string): string | undefined {
  if (node.kind === "leaf") return fits(node, value) ? undefined : "The value has another type";
  if (node.kind === "container") {
    if (!isRecord(value)) return "It must be an object";
    checkMembers(node.children, value, path);
    return undefined;
  }
  if (!Array.isArray(value)) return "It must be a list";
  if (node.kind !== "list")
    return value.every((one) => fits(node, one)) ? undefined : "A value has another type";
  for (const entry of value) checkEntry(node.keys, node.children, entry, path);
  const isUnique = new Set(value.map((entry) => keyText(node.keys, entry))).size === value.length;
  return isUnique ? undefined : "Two entries have the same keys";
}

export const keyText = (keys: readonly string[], entry: unknown): string =>
  JSON.stringify(keys.map((key) => (isRecord(entry) ? String(entry[key]) : "")));

export function checkEntry(keys: readonly string[], children: Children, entry: unknown, path: string): void {
  if (!isRecord(entry)) throw new Refusal(400, "invalid-value", "An entry must be an object.", path);
  for (const key of keys)
    if (entry[key] === undefined)
      throw new Refusal(400, "missing-element", `The key ${key} is missing.`, path);
  checkMembers(children, entry, path);
}

function checkMembers(children: Children, value: Data, path: string): void {
  for (const [name, member] of Object.entries(value)) {
    const child = Object.hasOwn(children, name) ? children[name] : undefined;
    if (child === undefined)
      throw new Refusal(400, "unknown-element", `There is no "${name.slice(0, 100)}" here.`, path);
    check(child, member, `${path}/${name}`);
  }
}

/** Mandatory leaves of what is there in the end. */
export function checkWhole(children: Children, value: Data, path = ""): void {
  for (const [name, node] of Object.entries(children)) {
    const member = value[name];
    const here = `${path}/${name}`;
    if (node.kind === "leaf" && node.mandatory === true && member === undefined)
      throw new Refusal(400, "missing-element", `${name} is missing.`, path);
    if (node.kind === "container" && isRecord(member)) checkWhole(node.children, member, here);
    if (node.kind === "list")
      for (const entry of entriesOf(member)) if (isRecord(entry)) checkWhole(node.children, entry, here);
  }
}

function fits({ type }: Leaf, value: unknown): boolean {
  if (type === "boolean") return typeof value === "boolean";
  if (type === "uint32") return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32;
  if (typeof value !== "string") return false;
  if (type === "identity") return /^(?:[\w.-]+:)?[\w.-]+$/.test(value);
  return type === "string" || type.includes(value);
}

/** Merges checked values; lists by their keys, leaf-lists by their values. */
export function merge(node: Node, into: unknown, value: unknown): unknown {
  if (isLeaf(node))
    return node.kind === "leaf" ? value : [...new Set([...entriesOf(into), ...entriesOf(value)])];
  if (node.kind === "list") {
    const list = [...entriesOf(into)];
    for (const entry of entriesOf(value)) {
      const at = list.findIndex((one) => keyText(node.keys, one) === keyText(node.keys, entry));
      if (at < 0) list.push(mergeMembers(node.children, {}, entry));
      else list[at] = mergeMembers(node.children, list[at], entry);
    }
    return list;
  }
  return mergeMembers(node.children, into, value);
}

export function mergeMembers(children: Children, into: unknown, value: unknown): Data {
  const merged: Data = isRecord(into) ? { ...into } : {};
  for (const [name, member] of Object.entries(isRecord(value) ? value : {})) {
    const child = children[name];
    if (child !== undefined) merged[name] = merge(child, merged[name], member);
  }
  return merged;
}

export interface Shown {
  readonly content?: string | undefined;
  readonly depth?: number | undefined;
  readonly defaults?: string | undefined;
}

/** Configuration and state together, in the part that was asked for. */
export function shownOf(node: Node, value: unknown, shown: Shown): unknown {
  const { depth, defaults, content } = shown;
  if (content === "config" && node.config === false) return undefined;
  if (isLeaf(node)) {
    if (content === "nonconfig" && node.config !== false) return undefined;
    return defaults === "trim" && node.default !== undefined && node.default === value ? undefined : value;
  }
  if (node.kind === "list" && Array.isArray(value)) {
    const entries = value.map((entry) => membersOf(node, entry, shown)).filter((one) => one !== undefined);
    return entries.length === 0 ? undefined : entries;
  }
  return depth === 0 ? {} : membersOf(node, value, shown);
}

function membersOf(node: Inner, value: unknown, shown: Shown): Data | undefined {
  if (!isRecord(value)) return undefined;
  const record: Data = value;
  const members: Data = {};
  const deeper = shown.depth === undefined ? shown : { ...shown, depth: shown.depth - 1 };
  const keys = node.kind === "list" ? node.keys : [];
  let hasMore = false;
  for (const [name, child] of Object.entries(node.children)) {
    const given =
      record[name] ??
      (shown.defaults?.startsWith("report-all") === true && child.kind === "leaf"
        ? child.default
        : undefined);
    if (given === undefined) continue;
    const part = keys.includes(name) ? given : shownOf(child, given, deeper);
    if (part === undefined) continue;
    members[name] = part;
    hasMore ||= !keys.includes(name);
  }
  const isEmpty = Object.keys(members).length === 0 || (shown.content === "nonconfig" && !hasMore);
  return isEmpty && shown.content !== undefined && node !== root ? undefined : members;
}

/** A selection such as `a/b;c(d;e)`; undefined: everything below. */
export type Selection = Map<string, Selection> | undefined;

export function selectionOf(text: string): Selection {
  let at = 0;
  const list = (): Map<string, Selection> => {
    const all = new Map<string, Selection>();
    for (;;) {
      const name = /[\w.:-]+/y;
      name.lastIndex = at;
      const found = name.exec(text)?.[0];
      if (found === undefined) throw new Refusal(400, "invalid-value", "fields is not valid.");
      at += found.length;
      let inner: Selection;
      if (text[at] === "/") {
        at++;
        inner = new Map(list());
        all.set(found, inner);
        return all;
      }
      if (text[at] === "(") {
        at++;
        inner = list();
        if (text[at++] !== ")") throw new Refusal(400, "invalid-value", "fields lacks a bracket.");
      }
      all.set(found, inner);
      if (text[at] !== ";") return all;
      at++;
    }
  };
  const all = list();
  if (at < text.length) throw new Refusal(400, "invalid-value", "fields is not valid.");
  return all;
}

export function selected(value: unknown, selection: Selection): unknown {
  if (selection === undefined) return value;
  if (Array.isArray(value)) return value.map((entry) => selected(entry, selection));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const local = name.replace(/^[^:]*:/, "");
      const key = selection.has(name) ? name : local;
      return selection.has(key) ? [[name, selected(member, selection.get(key))] as const] : [];
    }),
  );
}

/** The module of a name at the top, such as `ietf-system` of `ietf-system:system`. */
export const moduleAt = (name: string) => moduleOf(name.split(":")[0] ?? "");
