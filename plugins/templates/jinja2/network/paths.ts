/** Filters for paths and URLs, which are only text here: nothing is looked up. */
import { PyDict } from "../../python/dict.ts";
import { PyError, typeError, valueError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import { isText, PyTuple, textOf, typeName, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { type Entry, filter, plainText } from "../filters/define.ts";

function pathOf(value: Value): string {
  if (value instanceof Undefined) return value.fail();
  if (!isText(value)) throw typeError(`a path is text, not ${typeName(value)}`);
  return textOf(value);
}

function dirname(path: string): string {
  const head = path.slice(0, path.lastIndexOf("/") + 1);
  return /^\/*$/.test(head) ? head : head.replace(/\/+$/, "");
}

/** The extension with its dot; dots that begin a name begin none. */
function splitExtension(path: string): PyTuple {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  if (dot < 0 || /^\.*$/.test(name.slice(0, dot))) return new PyTuple([path, ""]);
  const at = path.length - name.length + dot;
  return new PyTuple([path.slice(0, at), path.slice(at)]);
}

function joined(parts: readonly string[]): string {
  const [first, ...rest] = parts;
  if (first === undefined) throw typeError("path_join needs at least one part");
  return rest.reduce((path, part) => {
    if (part.startsWith("/")) return part;
    return path === "" || path.endsWith("/") ? path + part : `${path}/${part}`;
  }, first);
}

export function urlParts(url: string): PyDict {
  let rest = url;
  const [, scheme = ""] = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(rest) ?? [];
  if (scheme !== "") rest = rest.slice(scheme.length + 1);
  const [authority = "", netloc = ""] = /^\/\/([^/?#]*)/.exec(rest) ?? [];
  rest = rest.slice(authority.length);
  const cut = (mark: string): string => {
    const at = rest.indexOf(mark);
    const tail = at < 0 ? "" : rest.slice(at + 1);
    if (at >= 0) rest = rest.slice(0, at);
    return tail;
  };
  const fragment = cut("#");
  const query = cut("?");
  const at = netloc.lastIndexOf("@");
  const user = at < 0 ? undefined : netloc.slice(0, at);
  const [, bracketed, plain = "", port = ""] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(netloc.slice(at + 1)) ?? [];
  if (port !== "" && !(/^\d+$/.test(port) && Number(port) <= 65_535))
    throw valueError(`the port '${port}' is no number up to 65535`);
  const host = bracketed ?? plain;
  const colon = user?.indexOf(":") ?? -1;
  return PyDict.from([
    ["fragment", fragment],
    ["hostname", host === "" ? null : host.toLowerCase()],
    ["netloc", netloc],
    ["password", user === undefined || colon < 0 ? null : user.slice(colon + 1)],
    ["path", rest],
    ["port", port === "" ? null : Number(port)],
    ["query", query],
    ["scheme", scheme.toLowerCase()],
    ["username", user === undefined ? null : colon < 0 ? user : user.slice(0, colon)],
  ]);
}

function urlSplit(value: Value, query: Value, context: FilterContext): Value {
  const parts = urlParts(pathOf(value));
  const name = plainText(query, context);
  if (name === "") return parts;
  const part = parts.get(name);
  if (part === undefined) throw new PyError("AnsibleFilterError", `a URL has no part '${name}'`);
  return part;
}

/** Bytes that are no UTF-8 become the replacement character. */
function urlDecoded(text: string): string {
  return text.replaceAll("+", " ").replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => {
    const bytes = run
      .slice(1)
      .split("%")
      .map((hex) => Number.parseInt(hex, 16));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));
  });
}

/** Drive or share of a path as Windows has it, and the rest. */
function splitDrive(path: string): [string, string] {
  const plain = path.replaceAll("/", "\\");
  if (plain.startsWith("\\\\") && plain[2] !== "\\") {
    const share = plain.indexOf("\\", 2);
    const end = share < 0 ? -1 : plain.indexOf("\\", share + 1);
    return end < 0 ? [path, ""] : [path.slice(0, end), path.slice(end)];
  }
  return plain[1] === ":" ? [path.slice(0, 2), path.slice(2)] : ["", path];
}

function splitWindows(path: string): [string, string] {
  const [drive, rest] = splitDrive(path);
  const at = Math.max(rest.lastIndexOf("\\"), rest.lastIndexOf("/")) + 1;
  const head = rest.slice(0, at);
  let end = head.length;
  while (end > 0 && "\\/".includes(head[end - 1] ?? " ")) end--;
  return [drive + (end === 0 ? head : head.slice(0, end)), rest.slice(at)];
}

export const pathFilters: readonly Entry[] = [
  filter("basename", [], (value) => pathOf(value).slice(pathOf(value).lastIndexOf("/") + 1)),
  filter("dirname", [], (value) => dirname(pathOf(value))),
  filter("win_basename", [], (value) => splitWindows(pathOf(value))[1]),
  filter("win_dirname", [], (value) => splitWindows(pathOf(value))[0]),
  filter("win_splitdrive", [], (value) => new PyTuple(splitDrive(pathOf(value)))),
  filter("splitext", [], (value) => splitExtension(pathOf(value))),
  filter("path_join", [], (value, _given, { meter }) => {
    if (value instanceof Undefined) return value.fail();
    return joined(isText(value) ? [textOf(value)] : itemsOf(value, meter).map(pathOf));
  }),
  filter("urlsplit", ["query?"], (value, [query = ""], context) => urlSplit(value, query, context)),
  filter("urldecode", [], (value) => urlDecoded(pathOf(value))),
];
