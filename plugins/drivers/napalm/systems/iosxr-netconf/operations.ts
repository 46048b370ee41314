/** NETCONF operations for IOS XR, and the namespaces of its models. */
import { type XmlFragment, xml } from "patchbay/plugin";

const cisco = "http://cisco.com/ns/yang/Cisco-IOS-XR-";

/** The namespace of a model such as `ipv4-arp-oper`. */
export const model = (name: string): string => `${cisco}${name}`;

/** Nested elements, such as `arp/nodes/node`; the first one has the namespace. */
export function nested(namespace: string, path: string, ...inside: readonly XmlFragment[]): XmlFragment {
  const [root = "", ...below] = path.split("/");
  let content = inside;
  for (const name of below.toReversed()) content = [xml(name, {}, ...content)];
  return xml(root, { xmlns: namespace }, ...content);
}

/** Empty elements with these names. */
export const leaves = (...names: readonly string[]): XmlFragment[] => names.map((name) => xml(name));

export function getOperation(...filters: readonly XmlFragment[]): XmlFragment {
  return xml("get", {}, xml("filter", { type: "subtree" }, ...filters));
}

export function getConfigOperation(
  source: "running" | "candidate",
  ...filters: readonly XmlFragment[]
): XmlFragment {
  const filter = filters.length === 0 ? [] : [xml("filter", { type: "subtree" }, ...filters)];
  return xml("get-config", {}, xml("source", {}, xml(source)), ...filter);
}

export const cliModel = model("cli-cfg");
