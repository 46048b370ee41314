/** Data of a simulated device as XML, and back. */

import { isRecord } from "../../../../base/json/members.ts";
import { type XmlElement, XmlFragment, xml } from "../../../../plugin/index.ts";
import { type Data, moduleAt, Refusal, root } from "./data.ts";
import { type Children, isLeaf, type Leaf, type Node } from "./schema.ts";

/** Elements of the members; those at the top declare the namespace of their module. */
export function toXml(value: Data, children: Children = root.children): string {
  return Object.entries(value)
    .map(([name, member]) => {
      const node = children[name];
      return node === undefined ? "" : elementsOf(name, node, member);
    })
    .join("");
}

export function elementsOf(name: string, node: Node, value: unknown): string {
  const namespace = moduleAt(name)?.namespace;
  const attributes = namespace === undefined ? {} : { xmlns: namespace };
  const local = name.replace(/^[^:]*:/, "");
  return (Array.isArray(value) ? value : [value])
    .map((one) => {
      if (isLeaf(node)) return xml(local, attributes, String(one)).source;
      return xml(local, attributes, new XmlFragment(isRecord(one) ? toXml(one, node.children) : "")).source;
    })
    .join("");
}

/** The member that an element at the top is: `ietf-system:system`. */
export function topName(element: XmlElement): string {
  const name = Object.keys(root.children).find(
    (one) => moduleAt(one)?.namespace === element.namespace && one.endsWith(`:${element.name}`),
  );
  if (name !== undefined) return name;
  throw new Refusal(400, "unknown-element", `There is no "${element.name}" in this namespace.`);
}

/** The members that the elements are. */
export function toData(elements: readonly XmlElement[], children: Children, isTop: boolean): Data {
  const data: Data = {};
  for (const element of elements) {
    const name = isTop ? topName(element) : element.name;
    const node = Object.hasOwn(children, name) ? children[name] : undefined;
    if (node === undefined) throw new Refusal(400, "unknown-element", `There is no "${name}" here.`);
    const value = valueIn(element, node);
    if (node.kind === "list" || node.kind === "leaf-list") {
      const list = data[name];
      data[name] = Array.isArray(list) ? [...list, value] : [value];
    } else if (data[name] !== undefined) throw new Refusal(400, "bad-element", `"${name}" may occur once.`);
    else data[name] = value;
  }
  return data;
}

/** Of one element; of a list one entry. */
export function valueIn(element: XmlElement, node: Node): unknown {
  if (isLeaf(node)) return leafOf(element.text.trim(), node);
  return toData(element.children, node.children, false);
}

function leafOf(text: string, { type }: Leaf): unknown {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return type === "uint32" && /^\d+$/.test(text) ? Number(text) : text;
}
