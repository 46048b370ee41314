/**
 * Data by YANG names, as in RFC 7951, from and to XML. Without the models' text lists and types are unknown: a name that
 * occurs twice is a list, and values are texts.
 */
import { ExactNumber, isRecord, PluginError, type XmlElement, XmlFragment, xml } from "patchbay/plugin";
import type { Models } from "./models.ts";

const mostDepth = 256;

/** A member with the name of its module, or of its namespace in braces if the server names no module for it. */
const memberName = /^(?:([A-Za-z_][\w.-]*):|\{([^{}]+)\})?([A-Za-z_][\w.-]*)$/;

/** @throws PluginError DriverError that names the member */
export function toXml(data: Readonly<Record<string, unknown>>, models: Models): XmlFragment {
  return new XmlFragment(membersToXml(data, "", models, 0));
}

function membersToXml(
  members: Readonly<Record<string, unknown>>,
  outer: string,
  models: Models,
  depth: number,
): string {
  if (depth > mostDepth) throw fault(`is nested deeper than ${mostDepth} levels`);
  const written: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (name.startsWith("@") || name === "#text") continue;
    const [, module, uri, local] = memberName.exec(name) ?? [];
    if (local === undefined) throw fault(`"${name.slice(0, 100)}" is not a name of YANG`);
    const namespace = uri ?? (module === undefined ? outer : models.namespaceOf(module));
    if (namespace === "") throw fault(`"${local}" needs the name of its module: module:${local}`);
    const declared: Attributes = namespace === outer ? {} : { xmlns: namespace };
    const metadata = members[`@${name}`];
    const isList = Array.isArray(value) && !(value.length === 1 && value[0] === null);
    const entries: readonly unknown[] = isList ? value : [value];
    for (const [at, entry] of entries.entries()) {
      const own = isRecord(entry) && !(entry instanceof ExactNumber) ? entry["@"] : undefined;
      const attributes = attributesOf(own ?? (Array.isArray(metadata) ? metadata[at] : metadata), models);
      written.push(entryToXml(local, entry, { ...declared, ...attributes }, namespace, models, depth));
    }
  }
  return written.join("");
}

type Attributes = Readonly<Record<string, string>>;

function entryToXml(
  name: string,
  value: unknown,
  attributes: Attributes,
  namespace: string,
  models: Models,
  depth: number,
): string {
  if (value === null || (Array.isArray(value) && value.length === 1 && value[0] === null))
    return xml(name, attributes).source;
  if (Array.isArray(value)) throw fault(`"${name}" has a list in a list`);
  if (isRecord(value) && !(value instanceof ExactNumber)) {
    const text = value["#text"];
    const inside = membersToXml(value, namespace, models, depth + 1);
    const beside = typeof text === "string" ? [text] : [];
    return xml(name, attributes, ...beside, new XmlFragment(inside)).source;
  }
  const text = String(value);
  return xml(name, { ...attributes, ...prefixOf(text, models) }, text).source;
}

/** An identity is `module:name`: its prefix must be declared. For other texts the declaration has no effect. */
function prefixOf(text: string, models: Models): Attributes {
  const module = /^([A-Za-z_][\w.-]*):[A-Za-z_][\w.-]*$/.exec(text)?.[1];
  return module === undefined || !models.has(module)
    ? {}
    : { [`xmlns:${module}`]: models.namespaceOf(module) };
}

/** Metadata (RFC 7952), such as `{"ietf-netconf:operation": "delete"}`. */
function attributesOf(metadata: unknown, models: Models): Attributes {
  if (!isRecord(metadata)) return {};
  const attributes: Record<string, string> = {};
  for (const [at, [name, value]] of Object.entries(metadata).entries()) {
    const [, module, uri, local] = memberName.exec(name) ?? [];
    if (local === undefined) throw fault(`"@${name.slice(0, 100)}" is not a name of an attribute`);
    if (module === undefined && uri === undefined) {
      if (local !== "operation") throw fault(`"@${local}" needs the name of its module: module:${local}`);
      attributes["xmlns:ietf-netconf"] = models.namespaceOf("ietf-netconf");
      attributes["ietf-netconf:operation"] = String(value);
      continue;
    }
    const prefix = module ?? `m${at}`;
    attributes[`xmlns:${prefix}`] = uri ?? models.namespaceOf(prefix);
    attributes[`${prefix}:${local}`] = String(value);
  }
  return attributes;
}

const fault = (problem: string) =>
  new PluginError("DriverError", `The data ${problem}.`, { outcome: "none" });

/** The children of an element by YANG names. @param lists names that are lists even with one entry */
export function toData(
  element: XmlElement,
  models: Models,
  lists: ReadonlySet<string>,
  outer = "",
): Record<string, unknown> {
  const groups = new Map<string, unknown[]>();
  for (const child of element.children) {
    const { namespace } = child;
    const name = namespace === outer ? child.name : qualified(child.name, namespace, models);
    const values = groups.get(name) ?? [];
    groups.set(name, values);
    values.push(dataOf(child, models, lists));
  }
  const members = [...groups].map(([name, values]): [string, unknown] => {
    const isList = values.length > 1 || lists.has(name) || lists.has(name.slice(name.lastIndexOf(":") + 1));
    return [name, isList ? values : values[0]];
  });
  return Object.fromEntries(members);
}

function qualified(name: string, namespace: string, models: Models): string {
  if (namespace === "") return name;
  const module = models.moduleOf(namespace);
  return module === undefined ? `{${namespace}}${name}` : `${module}:${name}`;
}

function dataOf(element: XmlElement, models: Models, lists: ReadonlySet<string>): unknown {
  const metadata = metadataOf(element, models);
  const text = element.children.length === 0 ? element.text : element.textOf();
  if (element.children.length === 0 && metadata === undefined)
    return text === "" ? null : withModule(element, text, models);
  return {
    ...(metadata === undefined ? {} : { "@": metadata }),
    ...toData(element, models, lists, element.namespace),
    ...(text === "" ? {} : { "#text": withModule(element, text, models) }),
  };
}

/** An identity whose prefix is declared right at its element gets the name of its module instead. */
function withModule(element: XmlElement, text: string, models: Models): string {
  const [, prefix, name] = /^\s*([A-Za-z_][\w.-]*):([A-Za-z_][\w.-]*)\s*$/.exec(text) ?? [];
  const namespace = prefix === undefined ? undefined : element.attributes.get(`xmlns:${prefix}`);
  const module = namespace === undefined ? undefined : models.moduleOf(namespace);
  return module === undefined ? text : `${module}:${name}`;
}

function metadataOf(element: XmlElement, models: Models): Record<string, string> | undefined {
  const metadata: [string, string][] = [];
  for (const [name, value] of element.attributes) {
    if (name === "xmlns" || name.startsWith("xmlns:")) continue;
    const colon = name.indexOf(":");
    const prefix = name.slice(0, Math.max(0, colon));
    const namespace = prefix === "" ? "" : namespaceAt(element, prefix);
    metadata.push([qualified(name.slice(colon + 1), namespace, models), value]);
  }
  return metadata.length === 0 ? undefined : Object.fromEntries(metadata);
}

/** Of a prefix that is declared at the element, or else that of the prefix itself. */
const namespaceAt = (element: XmlElement, prefix: string): string =>
  element.attributes.get(`xmlns:${prefix}`) ?? (prefix === element.prefix ? element.namespace : "");
