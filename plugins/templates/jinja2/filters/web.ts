/** Filters for HTML, URLs and JSON, and pprint for debugging. */

import {
  escapeValue,
  isIterable,
  isText,
  itemsOf,
  jsonIndent,
  Markup,
  needText,
  PyDict,
  prettyPrint,
  textRepr,
  truth,
  typeError,
  typeName,
  Undefined,
  type Value,
  valueError,
  words,
  writeJson,
} from "../../python/index.ts";
import { argumentError, define, type FilterEntries, plainText } from "./define.ts";
import type { FilterContext } from "./kinds.ts";
import { linkText } from "./urlize.ts";

/** Percent-encodes all but letters, digits and `_.-~`; in a query also `/`. */
function quoteUrl(text: string, query: boolean): string {
  const quoted = encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return query ? quoted.replaceAll("%20", "+") : quoted.replaceAll("%2F", "/");
}

function urlEncoded(value: Value, context: FilterContext): string {
  if (isText(value) || !isIterable(value)) return quoteUrl(plainText(value, context), false);
  const pairs =
    value instanceof PyDict
      ? value.entries()
      : itemsOf(value, context.meter).map((pair) => itemsOf(pair, context.meter));
  return pairs
    .map(([key, item, ...more]) => {
      if (key === undefined || item === undefined || more.length > 0)
        throw valueError("expected pairs of key and value");
      return `${quoteUrl(plainText(key, context), true)}=${quoteUrl(plainText(item, context), true)}`;
    })
    .join("&");
}

const safeHere = (text: string, { autoescape }: FilterContext): Value =>
  autoescape ? new Markup(text) : text;

function attributes(value: Value, autospace: boolean, context: FilterContext): Value {
  if (!(value instanceof PyDict)) throw typeError(`'${typeName(value)}' object has no attribute 'items'`);
  const { meter } = context;
  const parts: string[] = [];
  for (const [key, item] of value.entries()) {
    if (item === null || item instanceof Undefined) continue;
    const name = needText(key, "attribute name");
    if (/[ \t\n\r\f\v/>=]/.test(name))
      throw valueError(`Invalid character in attribute name: ${textRepr(name)}`);
    parts.push(`${escapeValue(key, meter).value}="${escapeValue(item, meter).value}"`);
  }
  return safeHere((autospace && parts.length > 0 ? " " : "") + parts.join(" "), context);
}

function linked(
  value: Value,
  limit: number | null,
  nofollow: boolean,
  target: string | null,
  rel: Value,
  schemes: Value,
  context: FilterContext,
): Value {
  const rels = new Set(truth(rel) ? words(needText(rel, "rel")) : []);
  if (nofollow) rels.add("nofollow");
  rels.add("noopener");
  const prefixes = schemes === null ? [] : itemsOf(schemes, context.meter);
  const style = {
    limit: limit ?? undefined,
    rel: [...rels].sort().join(" "),
    target: target ?? undefined,
    schemes: prefixes.map((prefix) => plainText(prefix, context)),
  };
  for (const prefix of style.schemes) {
    if (!/^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u.test(prefix))
      throw argumentError(`${textRepr(prefix)} is not a valid URI scheme prefix.`);
  }
  return safeHere(linkText(escapeValue(value, context.meter).value, style), context);
}

const CODES: Record<string, string> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "'": "\\u0027" };

/** JSON that is safe to embed in HTML. */
function htmlJson(value: Value, indent: Value, { meter }: FilterContext): Markup {
  const json = writeJson(value, { sortKeys: true, indent: jsonIndent(indent, meter) }, meter);
  return new Markup(json.replace(/[<>&']/g, (char) => CODES[char] ?? char));
}

const LINK = "trim_url_limit: int = none, nofollow: flag = false";

export const webFilters: FilterEntries = [
  define("urlencode", "any", "", urlEncoded),
  define("xmlattr", "defined", "autospace: flag = true", attributes),
  define("urlize", "any", `${LINK}, target: text = none, rel = none, extra_schemes = none`, linked),
  define("tojson", "any", "indent = none", htmlJson),
  define("pprint", "any", "", (value, { meter }) => prettyPrint(value, meter)),
].flat();
