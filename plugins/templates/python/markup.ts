/** The methods of Markup: as those of str, but text that comes in is escaped and text that comes out is safe. */
import type { Method } from "./args.ts";
import { PyDict } from "./dict.ts";
import { attributeError } from "./errors.ts";
import { formatText } from "./format.ts";
import { formatValue } from "./formatspec.ts";
import { escapeHtml } from "./html.ts";
import { itemsOf } from "./iterate.ts";
import type { Meter } from "./limits.ts";
import { str } from "./repr.ts";
import { type Kwargs, Markup, PyObject, PyTuple, type Value } from "./values.ts";

export function escapeValue(value: Value, meter: Meter): Markup {
  if (value instanceof Markup) return value;
  const html = value instanceof PyObject ? value.html?.() : undefined;
  return new Markup(html ?? escapeHtml(str(value, meter)));
}

/** Names of entities, each before its character. */
const NAMED = new Map(
  [
    "amp& lt< gt> quot\" apos' nbsp\xa0 copy© reg® trade™ hellip… mdash— ndash– lsquo‘ rsquo’ ldquo“ rdquo”",
    "laquo« raquo» middot· bull• deg° euro€ pound£ yen¥ cent¢ sect§ times× divide÷ plusmn±",
  ]
    .join(" ")
    .split(" ")
    .map((entity) => [entity.slice(0, -1), entity.slice(-1)] as const),
);

/** HTML entities back to characters: numeric ones, and the names that occur in text. */
export function unescapeHtml(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,8}));/gi,
    (whole, hex?: string, digits?: string, name?: string) => {
      if (name !== undefined) return NAMED.get(name) ?? whole;
      const code = hex === undefined ? Number(digits) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
    },
  );
}

/** Without comments and tags, blanks folded, entities resolved. */
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

/** Text given to these is escaped first, also what is only searched for: so does MarkupSafe. */
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

/** All methods of Markup, made from those of str. */
export function markupMethods(
  textMethods: ReadonlyMap<string, Method<string>>,
  attribute: Attribute,
): ReadonlyMap<string, Method<Markup>> {
  const methods = new Map<string, Method<Markup>>();
  for (const [name, method] of textMethods) {
    methods.set(name, (self, args, kwargs, meter) => {
      const given = ESCAPING.has(name)
        ? args.map((arg) => (typeof arg === "string" ? escapeHtml(arg) : arg))
        : args;
      return safe(method(self.value, given, kwargs, meter));
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
