/** Paths of resources as callers write them, below the root of the API, and the queries that are no path. Loaded with the manifest. */
import type { Command } from "patchbay/plugin";

const longest = 8_192;
/** What a URL would read as something else than a part of its path, and white space. */
const forbidden = /[\s?#\\\x00-\x1f\x7f]|[\ud800-\udfff]/u;

/** Why a text is no path; undefined: it is one. */
function pathFault(text: string): string | undefined {
  if (text.length > longest) return `is longer than ${longest} characters`;
  if (forbidden.test(text))
    return "must not contain white space, ?, # or \\: in keys they are written as %20 and so on, and queries are driver_args";
  for (const segment of text.split("/")) {
    let plain: string;
    try {
      plain = decodeURIComponent(segment);
    } catch {
      return `has "${segment.slice(0, 40)}", in which % begins nothing: it is written as %25`;
    }
    if (plain === "." || plain === "..") return "must not contain . or .. as a part";
  }
  return text.replace(/^\//, "").includes("//") ? "has an empty part" : undefined;
}

const heads = ["data", "ds", "operations", "yang-library-version"];
const trimmed = (text: string) => text.replace(/\/+$/, "");

/** Without slashes at both ends, and without the usual root: `data/ietf-system:system`. */
function relative(text: string, root: string): string {
  const path = trimmed(text);
  const inside = path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : path;
  return inside.replace(/^\//, "");
}

export type Resource = { readonly path: string } | { readonly fault: string };

/**
 * The path below the root: `data/…`, `ds/…` (RFC 8527) or `operations/…`. One that begins with the name of a module is
 * below `data`.
 */
export function resourceOf(text: string, root = "/restconf"): Resource {
  const fault = pathFault(text);
  if (fault !== undefined) return { fault };
  const path = relative(text.trim(), root);
  const [head = ""] = path.split("/");
  if (/^[A-Za-z_][\w.-]*:[A-Za-z_]/.test(head)) return { path: `data/${path}` };
  if (heads.includes(head)) return { path };
  return { fault: `must be a path such as ietf-system:system, data/… or ${root}/data/…` };
}

/** Whether a path, with or without the root in front, is of an operation: data have the name of their module first. */
export const isOperation = (text: string): boolean => /^(?:[^:]*\/)?operations\//.test(text);

export const isRoot = (text: string): boolean =>
  /^\/[^/]/.test(text) && pathFault(trimmed(text)) === undefined;

/** Queries that are no path. */
export const queryNames = ["facts", "capabilities", "root"] as const;
export type QueryName = (typeof queryNames)[number];

export const isNamed = (text: string): text is QueryName => queryNames.some((name) => name === text);
export const textOf = (command: Command): string =>
  (typeof command === "string" ? command : command.send).trim();

/** Commands that are no path, and arguments that none of the commands takes. */
export function needlessArgs(
  list: readonly Command[],
  args: Readonly<Record<string, unknown>>,
): readonly { path: string; message: string }[] {
  const texts = list.map(textOf);
  const faults = texts.flatMap((text, at) => {
    const resource = isNamed(text) ? undefined : resourceOf(text);
    if (resource === undefined || "path" in resource) return [];
    // The root may be another than the usual one: the session knows it.
    if (text.startsWith("/") && resource.fault.startsWith("must be a path")) return [];
    return [{ path: `command.${at}`, message: `${resource.fault}; or one of ${queryNames.join(", ")}` }];
  });
  if (faults.length > 0 || !texts.every(isNamed)) return faults;
  return Object.entries(args)
    .filter(([name, value]) => value !== undefined && name !== "timeout")
    .map(([name]) => ({
      path: `driver_args.${name}`,
      message: "is not an argument of any of the commands",
    }));
}
