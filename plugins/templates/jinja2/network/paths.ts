/** Filters and tests for paths and URLs. They work on text only and never access files or the network. */

import {
  isText,
  itemsOf,
  PyDict,
  PyTuple,
  textOf,
  typeError,
  type Value,
  valueError,
} from "../../python/index.ts";
import { define, type FilterEntries, filterError, onlyText, type TestEntries } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";

const path = onlyText("a path is text");

const afterLast = (text: string, mark: string): string => text.slice(text.lastIndexOf(mark) + 1);

function dirname(text: string): string {
  const head = text.slice(0, text.lastIndexOf("/") + 1);
  return /^\/*$/.test(head) ? head : head.replace(/\/+$/, "");
}

/** The extension with its dot; leading dots of a name do not start one. */
function splitExtension(text: string): PyTuple {
  const name = afterLast(text, "/");
  const dot = name.lastIndexOf(".");
  if (dot < 0 || /^\.*$/.test(name.slice(0, dot))) return new PyTuple([text, ""]);
  const at = text.length - name.length + dot;
  return new PyTuple([text.slice(0, at), text.slice(at)]);
}

function joined(value: Value, context: FilterContext): string {
  const parts = isText(value) ? [value] : itemsOf(value, context.meter);
  const [first, ...rest] = parts.map((part) => path(part, context));
  if (first === undefined) throw typeError("path_join needs at least one part");
  return rest.reduce((joined, part) => {
    if (part.startsWith("/")) return part;
    return joined === "" || joined.endsWith("/") ? joined + part : `${joined}/${part}`;
  }, first);
}

/** As in browsers, leading white space, tabs and line breaks of a URL are removed. */
function urlParts(url: string): PyDict {
  let rest = url.replace(/^[\0-\x20]+|[\t\r\n]/g, "");
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
    throw valueError(`the port '${port}' is not a number up to 65535`);
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

function urlSplit(url: string, name: string): Value {
  const parts = urlParts(url);
  if (name === "") return parts;
  const part = parts.get(name);
  if (part === undefined) throw filterError(`a URL has no part '${name}'`);
  return part;
}

/** Invalid UTF-8 becomes the replacement character. */
function urlDecoded(text: string): string {
  return text.replaceAll("+", " ").replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => {
    const bytes = Uint8Array.fromHex(run.replaceAll("%", ""));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  });
}

/** Splits a Windows path into drive or share and the rest. */
function splitDrive(text: string): [string, string] {
  const plain = text.replaceAll("/", "\\");
  if (plain.startsWith("\\\\") && plain[2] !== "\\") {
    const share = plain.indexOf("\\", 2);
    const end = share < 0 ? -1 : plain.indexOf("\\", share + 1);
    return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end)];
  }
  return plain[1] === ":" ? [text.slice(0, 2), text.slice(2)] : ["", text];
}

function splitWindows(text: string): [string, string] {
  const [drive, rest] = splitDrive(text);
  const at = Math.max(rest.lastIndexOf("\\"), rest.lastIndexOf("/")) + 1;
  const head = rest.slice(0, at);
  const [bare = head] = /^.*[^\\/]/s.exec(head) ?? [];
  return [drive + bare, rest.slice(at)];
}

export const pathFilters: FilterEntries = [
  define("basename", path, "", (text) => afterLast(text, "/")),
  define("dirname", path, "", dirname),
  define("win_basename", path, "", (text) => splitWindows(text)[1]),
  define("win_dirname", path, "", (text) => splitWindows(text)[0]),
  define("win_splitdrive", path, "", (text) => new PyTuple(splitDrive(text))),
  define("splitext", path, "", splitExtension),
  define("path_join", "defined", "", joined),
  define("urlsplit", path, "query: text = ''", urlSplit),
  define("urldecode", path, "", urlDecoded),
].flat();

/** @param holds the condition on scheme and host, besides the requested schemes */
function urlTest(name: string, holds: (scheme: Value, host: Value) => boolean): TestEntries {
  return define(name, "defined", "schemes = none", (value, schemes, { meter }) => {
    if (!isText(value)) return false;
    const parts = urlParts(textOf(value));
    const scheme = parts.get("scheme") ?? "";
    const allowedSchemes = schemes === null ? [] : itemsOf(schemes, meter);
    return (
      holds(scheme, parts.get("netloc") ?? "") &&
      (allowedSchemes.length === 0 || allowedSchemes.includes(scheme))
    );
  });
}

export const pathTests: TestEntries = [
  urlTest("uri", () => true),
  urlTest("url", (scheme, host) => host !== "" || scheme === "file"),
  define("urn", "defined", "", (value) => isText(value) && urlParts(textOf(value)).get("scheme") === "urn"),
  define("abs is_abs", "defined", "", (value) => isText(value) && textOf(value).startsWith("/")),
].flat();
