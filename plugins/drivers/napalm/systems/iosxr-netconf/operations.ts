/** The operations of NETCONF that IOS XR is asked by, and the names of its models. */
import { type XmlFragment, xml } from "patchbay/plugin";

const cisco = "http://cisco.com/ns/yang/Cisco-IOS-XR-";

/** The namespace of a model: `ipv4-arp-oper`. */
export const model = (name: string): string => `${cisco}${name}`;

/** Elements one in the other, such as `arp/nodes/node`; the first one is of the namespace. */
export function nested(namespace: string, path: string, ...inside: readonly XmlFragment[]): XmlFragment {
  const [root = "", ...below] = path.split("/");
  let content = inside;
  for (const name of below.toReversed()) content = [xml(name, {}, ...content)];
  return xml(root, { xmlns: namespace }, ...content);
}

/** Empty elements of these names. */
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
