/** Filters for HTML, URLs and JSON, and the one for people who look for an error: pprint. */
import { PyDict } from "../../python/dict.ts";
import { typeError, valueError } from "../../python/errors.ts";
import { isIterable, itemsOf } from "../../python/iterate.ts";
import { writeJson } from "../../python/json-write.ts";
import { escapeValue } from "../../python/markup.ts";
import { prettyPrint } from "../../python/pprint.ts";
import { textRepr } from "../../python/repr.ts";
import { needText } from "../../python/strings.ts";
import { isText, Markup, textOf, typeName, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { argumentError, type Entry, filter, flag, integer, plainText } from "./define.ts";
import { linkText } from "./urlize.ts";

/** Percent-encodes all but letters, digits and `_.-~`; `/` too in a query. */
export function quoteUrl(text: string, query: boolean): string {
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

function attributes(value: Value, autospace: boolean, context: FilterContext): Value {
  if (value instanceof Undefined) return value.fail();
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
  const text = (autospace && parts.length > 0 ? " " : "") + parts.join(" ");
  return context.autoescape ? new Markup(text) : text;
}

function linked(value: Value, given: readonly (Value | undefined)[], context: FilterContext): Value {
  const [limit = null, nofollow, target = null, rel = null, schemes = null] = given;
  const rels = new Set(
    (rel === null ? "" : plainText(rel, context)).split(/\s+/).filter((one) => one !== ""),
  );
  if (flag(nofollow)) rels.add("nofollow");
  rels.add("noopener");
  const prefixes =
    schemes === null ? [] : itemsOf(schemes, context.meter).map((one) => plainText(one, context));
  for (const prefix of prefixes) {
    if (!/^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u.test(prefix))
      throw argumentError(`${textRepr(prefix)} is not a valid URI scheme prefix.`);
  }
  const text = linkText(escapeValue(value, context.meter).value, {
    limit: limit === null ? undefined : integer(limit, 0),
    rel: [...rels].sort().join(" "),
    target: target === null ? undefined : plainText(target, context),
    schemes: prefixes,
  });
  return context.autoescape ? new Markup(text) : text;
}

/** JSON that is safe inside HTML. */
function htmlJson(value: Value, indent: Value, context: FilterContext): Markup {
  const width = indent === null || isText(indent) ? 0 : Math.max(0, integer(indent, 0));
  context.meter.text(width);
  const step = indent === null ? undefined : isText(indent) ? textOf(indent) : " ".repeat(width);
  const json = writeJson(value, { sortKeys: true, indent: step }, context.meter);
  const codes: Record<string, string> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "'": "\\u0027" };
  return new Markup(json.replace(/[<>&']/g, (char) => codes[char] ?? char));
}

export const webFilters: readonly Entry[] = [
  filter("urlencode", [], (value, _given, context) => urlEncoded(value, context)),
  filter("xmlattr", ["autospace?"], (value, [autospace], context) =>
    attributes(value, flag(autospace, true), context),
  ),
  filter("urlize", ["trim_url_limit?", "nofollow?", "target?", "rel?", "extra_schemes?"], linked),
  filter("tojson", ["indent?"], (value, [indent = null], context) => htmlJson(value, indent, context)),
  filter("pprint", [], (value, _given, { meter }) => prettyPrint(value, meter)),
];
