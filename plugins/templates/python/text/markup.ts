/** Methods of Markup: those of str, but arguments are escaped and results are safe. */

import { attributeError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import type { Method } from "../values/args.ts";
import { PyDict } from "../values/dict.ts";
import { itemsOf } from "../values/iterate.ts";
import { type Kwargs, Markup, PyObject, PyTuple, type Value } from "../values/values.ts";
import { formatText } from "./format.ts";
import { formatValue } from "./formatspec.ts";
import { escapeHtml } from "./html.ts";
import { str } from "./repr.ts";

export function escapeValue(value: Value, meter: Meter): Markup {
  if (value instanceof Markup) return value;
  const html = value instanceof PyObject ? value.html?.() : undefined;
  return new Markup(html ?? escapeHtml(str(value, meter)));
}

/** Entity names of U+00A0 to U+00FF. */
const LATIN =
  `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3
  acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig
  Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash
  Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc
  euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute
  thorn yuml`.split(/\s+/);
/** Entities that need no semicolon, by name. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ...LATIN.map((name, i) => [name, String.fromCharCode(0xa0 + i)] as const),
  ...["amp&", "lt<", "gt>", 'quot"', "copy©", "reg®"].flatMap((entity) => {
    const [name, char] = [entity.slice(0, -1), entity.slice(-1)];
    return [[name, char] as const, [name.toUpperCase(), char] as const];
  }),
]);
const NAMED: ReadonlyMap<string, string> = new Map([
  ...SHORT,
  ..."apos' trade™ hellip… mdash— ndash– lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ bull• euro€ larr← uarr↑ rarr→ darr↓ harr↔ le≤ ge≥ ne≠ infin∞ minus− asymp≈ micro\xb5 permil‰ prime′ Prime″ dagger† Dagger‡"
    .split(" ")
    .map((entity) => [entity.slice(0, -1), entity.slice(-1)] as const),
]);

/** Decodes HTML entities: numeric ones, and the common names. */
export function unescapeHtml(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+);?|#(\d+);?|([a-z][a-z0-9]{1,30})(;?))/gi,
    (reference, hex?: string, digits?: string, name = "", end = "") => {
      if (name === "") return numbered(hex === undefined ? Number(digits) : Number.parseInt(hex, 16));
      const named = end === ";" ? NAMED.get(name) : undefined;
      return named ?? beginning(name, end) ?? reference;
    },
  );
}

/** Decodes the longest prefix that is an entity and keeps the rest. */
function beginning(name: string, end: string): string | undefined {
  for (let length = name.length; length > 1; length--) {
    const char = SHORT.get(name.slice(0, length));
    if (char !== undefined) return char + name.slice(length) + end;
  }
  return undefined;
}

/** 128 to 159 are Windows-1252, as in browsers; invalid code points are dropped. */
function numbered(code: number): string {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "\ufffd";
  if (code >= 0x80 && code <= 0x9f) return new TextDecoder("windows-1252").decode(Uint8Array.of(code));
  const none = code < 9 || code === 0xb || (code >= 0xe && code < 0x20) || code === 0x7f;
  return none || (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe
    ? ""
    : String.fromCodePoint(code);
}

/** Removes comments and tags, collapses white space and decodes entities. */
export function stripTags(text: string): string {
  let result = text;
  for (const [open, close] of [
    ["<!--", "-->"],
    ["<", ">"],
  ] as const) {
    const parts: string[] = [];
    let at = 0;
    for (;;) {
      const start = result.indexOf(open, at);
      const end = start < 0 ? -1 : result.indexOf(close, start);
      if (end < 0) break;
      parts.push(result.slice(at, start));
      at = end + close.length;
    }
    result = parts.join("") + result.slice(at);
  }
  return unescapeHtml(
    result
      .split(/[\s\x1c-\x1f\x85]+/)
      .filter((word) => word !== "")
      .join(" "),
  );
}

/** Methods that escape their arguments, even those only searched for, as MarkupSafe does. */
const ESCAPING = new Set(
  "replace ljust rjust center strip lstrip rstrip translate removeprefix removesuffix partition rpartition".split(
    " ",
  ),
);

function safe(value: Value): Value {
  if (typeof value === "string") return new Markup(value);
  if (Array.isArray(value)) return value.map(safe);
  return value instanceof PyTuple ? new PyTuple(value.items.map(safe)) : value;
}

const joined: Method<Markup> = (self, args, _kwargs, meter) => {
  const parts = itemsOf(args[0] ?? null, meter).map((item) => escapeValue(item, meter).value);
  let length = parts.length * self.value.length;
  for (const part of parts) length += part.length;
  meter.text(length);
  return new Markup(parts.join(self.value));
};

function formatted(
  self: Markup,
  args: readonly Value[],
  kwargs: Kwargs | PyDict | undefined,
  attribute: Attribute,
  meter: Meter,
): Markup {
  const text = formatText(
    self.value,
    {
      args,
      named: (name) => kwargs?.get(name),
      attribute: (value, name) => attribute(value, name, meter),
      text: (value, spec) =>
        value instanceof Markup ? value.value : escapeHtml(formatValue(value, spec, meter)),
    },
    meter,
  );
  return new Markup(text);
}

export type Attribute = (value: Value, name: string, meter: Meter) => Value | undefined;

/** All methods of Markup, derived from those of str. */
export function markupMethods(
  textMethods: ReadonlyMap<string, Method<string>>,
  attribute: Attribute,
): ReadonlyMap<string, Method<Markup>> {
  const methods = new Map<string, Method<Markup>>();
  for (const [name, method] of textMethods) {
    methods.set(name, (self, args, kwargs, meter) => {
      const escapedArgs = ESCAPING.has(name)
        ? args.map((arg) => (typeof arg === "string" ? escapeHtml(arg) : arg))
        : args;
      return safe(method(self.value, escapedArgs, kwargs, meter));
    });
  }
  methods.set("join", joined);
  methods.set("format", (self, args, kwargs, meter) => formatted(self, args, kwargs, attribute, meter));
  methods.set("format_map", (self, args, _kwargs, meter) => {
    if (!(args[0] instanceof PyDict)) throw attributeError("format_map() wants a dictionary");
    return formatted(self, [], args[0], attribute, meter);
  });
  methods.set("unescape", (self) => unescapeHtml(self.value));
  methods.set("striptags", (self) => stripTags(self.value));
  return methods;
}
