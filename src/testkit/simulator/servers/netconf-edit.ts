/** `edit-config` of a simulated NETCONF server: elements with operations, done to a datastore or refused. */
import { isRecord } from "../../../base/json/members.ts";
import type { XmlElement } from "../../../base/xml/xml.ts";
import { check, type Data, entriesOf, keyText, Refusal, root } from "./yang/data.ts";
import type { Children, List, Node } from "./yang/schema.ts";
import { toData, topName, valueIn } from "./yang/xml.ts";

export type Operation = "merge" | "replace" | "create" | "delete" | "remove" | "none";
const operations: readonly Operation[] = ["merge", "replace", "create", "delete", "remove", "none"];

/** @throws Refusal; the datastore may have a part of the edit then */
export function edit(into: Data, elements: readonly XmlElement[], operation: Operation): void {
  editMembers(into, elements, root.children, operation, "");
}

function operationOf(element: XmlElement, outer: Operation): Operation {
  const given = element.attribute("operation") ?? outer;
  const found = operations.find((one) => one === given);
  if (found === undefined) throw new Refusal(400, "bad-attribute", `There is no operation "${given}".`);
  return found;
}

function editMembers(
  into: Data,
  elements: readonly XmlElement[],
  children: Children,
  outer: Operation,
  path: string,
): void {
  for (const element of elements) {
    const name = path === "" ? topName(element) : element.name;
    const node = Object.hasOwn(children, name) ? children[name] : undefined;
    const here = `${path}/${name}`;
    if (node === undefined) throw new Refusal(400, "unknown-element", `There is no "${name}" here.`, here);
    if (node.config === false) throw new Refusal(400, "invalid-value", "It is state.", here);
    const operation = operationOf(element, outer);
    if (node.kind === "list") editEntry(into, name, element, { node, operation, path: here });
    else editOne(into, name, element, { node, operation, path: here });
  }
}

interface Place<N extends Node> {
  readonly node: N;
  readonly operation: Operation;
  readonly path: string;
}

function requireFit(exists: boolean, operation: Operation, path: string): void {
  if (operation === "create" && exists) throw new Refusal(409, "data-exists", "It exists already.", path);
  if (operation === "delete" && !exists) throw new Refusal(409, "data-missing", "It does not exist.", path);
}

function editOne(
  into: Data,
  name: string,
  element: XmlElement,
  { node, operation, path }: Place<Node>,
): void {
  const existing = into[name];
  requireFit(existing !== undefined, operation, path);
  if (operation === "delete" || operation === "remove") {
    delete into[name];
    return;
  }
  if (node.kind === "container" && operation !== "replace") {
    const inner: Data = isRecord(existing) ? existing : {};
    if (operation !== "none" || existing !== undefined) into[name] = inner;
    editMembers(inner, element.children, node.children, operation === "create" ? "merge" : operation, path);
    return;
  }
  if (operation === "none") return;
  const value = valueIn(element, node);
  if (node.kind === "leaf-list") {
    const list = operation === "replace" ? [] : entriesOf(existing);
    into[name] = [...new Set([...list, value])];
  } else into[name] = value;
  check(node, into[name], path);
}

function editEntry(
  into: Data,
  name: string,
  element: XmlElement,
  { node, operation, path }: Place<List>,
): void {
  const { keys } = node;
  const own: Data = Object.fromEntries(keys.map((key) => [key, element.textOf(key)]));
  for (const key of keys)
    if (own[key] === "") throw new Refusal(400, "missing-element", `The key ${key} is missing.`, path);
  const list = entriesOf(into[name]);
  const at = list.findIndex((one) => keyText(keys, one) === keyText(keys, own));
  requireFit(at >= 0, operation, path);
  if (operation === "delete" || operation === "remove") {
    const left = list.filter((_, index) => index !== at);
    if (left.length === 0) delete into[name];
    else into[name] = left;
    return;
  }
  const existing = list[at];
  if (operation === "none" && existing === undefined)
    throw new Refusal(409, "data-missing", "It does not exist.", path);
  if (operation === "replace") {
    const entry = toData(element.children, node.children, false);
    check(node, [entry], path);
    into[name] = at < 0 ? [...list, entry] : list.with(at, entry);
    return;
  }
  const entry: Data = isRecord(existing) ? existing : { ...own };
  into[name] = at < 0 ? [...list, entry] : list;
  editMembers(entry, element.children, node.children, operation === "create" ? "merge" : operation, path);
}
