/** What callers write: configurations and filters as XML or as data by YANG names, made into elements of NETCONF. */
import {
  formatXml,
  isRecord,
  PluginError,
  parseExact,
  parseXml,
  type XmlElement,
  XmlFragment,
  xml,
} from "patchbay/plugin";
import { messageOf } from "../shared/message.ts";
import type { QueryArgs } from "./args.ts";
import { baseNamespace, type Models } from "./models.ts";
import { toData, toXml } from "./yang-data.ts";

const base = { xmlns: baseNamespace } as const;

/**
 * `<config>` with the text's elements: XML with or without `<config>` or `<data>` around it, or a JSON object.
 * @throws PluginError DriverError, before anything is sent
 */
export function configOf(text: string, models: Models): XmlFragment {
  const source = text.trim();
  if (source.startsWith("{")) return xml("config", base, toXml(objectOf(source), models));
  const { root, inside } = wrapped(source, "The configuration");
  const { children } = root;
  if (children.length === 0 || !children.every(isWrapper))
    return xml("config", base, new XmlFragment(inside));
  const declared = children.flatMap(({ attributes }) =>
    [...attributes].filter(([name]) => name.startsWith("xmlns:")),
  );
  const elements = children.flatMap((wrapper) => wrapper.children.map((child) => formatXml(child).trimEnd()));
  return xml("config", { ...Object.fromEntries(declared), ...base }, new XmlFragment(elements.join("\n")));
}

/** `<config>` of an operation, or `<data>` of an answer. */
const isWrapper = ({ name, namespace }: XmlElement): boolean =>
  ["config", "data"].includes(name) && [baseNamespace, ""].includes(namespace);

/** Several elements side by side are accepted: only the wrapper makes them a document. */
function wrapped(source: string, what: string): { readonly root: XmlElement; readonly inside: string } {
  const inside = source.replace(/^<\?xml[^>]*\?>\s*/, "");
  try {
    return { root: parseXml(`<w>${inside}</w>`), inside };
  } catch (error) {
    throw new PluginError("DriverError", `${what} cannot be read: ${messageOf(error)}`, { outcome: "none" });
  }
}

function objectOf(source: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseExact(source);
  } catch (error) {
    throw new PluginError("DriverError", `The configuration is not JSON: ${messageOf(error)}`, {
      outcome: "none",
    });
  }
  if (isRecord(value)) return value;
  throw new PluginError("DriverError", "The configuration must be an object by YANG names.", {
    outcome: "none",
  });
}

type FilterArgs = Pick<QueryArgs, "filter" | "namespaces">;

/** @param hasXpath the server evaluates XPath expressions */
export function filterOf(
  { filter, namespaces = {} }: FilterArgs,
  models: Models,
  hasXpath: boolean,
): readonly XmlFragment[] {
  if (filter === undefined) return [];
  if (typeof filter !== "string") return [xml("filter", { type: "subtree" }, toXml(filter, models))];
  const source = filter.trim();
  if (source.startsWith("<")) {
    const { root, inside } = wrapped(source, "filter");
    const [only] = root.children;
    // Whole filters are what ncclient and netpalm take.
    if (root.children.length === 1 && only?.name === "filter") return [new XmlFragment(inside)];
    return [xml("filter", { type: "subtree" }, new XmlFragment(inside))];
  }
  if (!hasXpath)
    throw new PluginError(
      "DriverError",
      "filter: the server does not evaluate XPath (its hello lacks the capability :xpath): give elements as XML or as an object.",
      { outcome: "none" },
    );
  const prefixes = new Set(
    [...source.matchAll(/([A-Za-z_][\w.-]*):(?!:)(?=[A-Za-z_*])/g)].map(([, one = ""]) => one),
  );
  const declared = Object.fromEntries(
    [...prefixes].flatMap((prefix) => {
      const namespace = namespaces?.[prefix] ?? (models.has(prefix) ? models.namespaceOf(prefix) : undefined);
      return namespace === undefined ? [] : [[`xmlns:${prefix}`, namespace]];
    }),
  );
  return [xml("filter", { ...declared, type: "xpath", select: source })];
}

/** The content of an element in the form that was asked for. */
export function shown(
  element: XmlElement,
  { format, lists }: Pick<QueryArgs, "format" | "lists">,
  models: Models,
): unknown {
  if (format === "object") return toData(element, models, new Set(lists ?? []));
  return formatXml(element);
}
