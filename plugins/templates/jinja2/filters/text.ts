/** Filters that change text. */

import {
  add,
  capitalize,
  center,
  escapeHtml,
  escapeValue,
  isText,
  joinText,
  lengthOf,
  Markup,
  needText,
  PyDict,
  PyError,
  PyObject,
  PyTuple,
  percentFormat,
  replaceText,
  splitLines,
  strip,
  stripChars,
  stripTags,
  textLength,
  textOf,
  textSlice,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import {
  alike,
  argumentError,
  define,
  type FilterEntries,
  integer,
  plainText,
  softText,
  variadic,
} from "./define.ts";
import type { Filter, FilterContext } from "./kinds.ts";
import { wrapText } from "./wrap.ts";

const changing = (name: string, change: (text: string) => string) =>
  define(name, "soft", "", (text) => alike(text, change(textOf(text))));

function titled(text: string): string {
  return text
    .split(/([-\s\x1c-\x1f\x85({[<]+)/)
    .map((word) => {
      const first = word.codePointAt(0);
      if (first === undefined) return "";
      const char = String.fromCodePoint(first);
      return char.toUpperCase() + word.slice(char.length).toLowerCase();
    })
    .join("");
}

function indented(
  value: Value,
  width: Value,
  first: boolean,
  blank: boolean,
  { meter }: FilterContext,
): Value {
  if (!isText(value)) {
    add(value, "\n", meter);
    throw typeError(`can only indent text, not ${typeName(value)}`);
  }
  const spaces = isText(width) ? 0 : integer(width);
  meter.text(spaces);
  const indention = isText(width) ? textOf(width) : " ".repeat(Math.max(0, spaces));
  let size = textOf(value).length;
  const lines = splitLines(`${textOf(value)}\n`).map((line, i) => {
    const isIndented = i === 0 ? first : blank || line !== "";
    size += isIndented ? indention.length : 0;
    if (size > meter.limits.stringChars) meter.text(size);
    return isIndented ? indention + line : line;
  });
  return alike(value, lines.join("\n"));
}

function truncated(value: Value, length: number, kill: boolean, end: Value, leeway: number | null): Value {
  const tail = needText(end, "end");
  if (length < textLength(tail))
    throw new PyError("AssertionError", `expected length >= ${textLength(tail)}, got ${length}`);
  if (leeway !== null && leeway < 0)
    throw new PyError("AssertionError", `expected leeway >= 0, got ${leeway}`);
  if (lengthOf(value) <= length + (leeway ?? 5)) return value;
  if (!isText(value)) throw typeError(`can only truncate text, not ${typeName(value)}`);
  const shortened = textSlice(textOf(value), 0, length - textLength(tail));
  const blank = shortened.lastIndexOf(" ");
  const cut = kill || blank < 0 ? shortened : shortened.slice(0, blank);
  return alike(value, cut + (value instanceof Markup && typeof end === "string" ? escapeHtml(tail) : tail));
}

function replaced(value: Value, old: Value, by: Value, count: number | null, context: FilterContext): Value {
  const { meter, autoescape } = context;
  let text = autoescape ? softText(value, context) : plainText(value, context);
  if (autoescape && (old instanceof Markup || (by instanceof Markup && !(value instanceof Markup))))
    text = escapeValue(text, meter);
  const maxCount = count ?? -1;
  if (!(text instanceof Markup))
    return replaceText(text, plainText(old, context), plainText(by, context), maxCount, meter);
  const from = escapeValue(softText(old, context), meter).value;
  const to = escapeValue(softText(by, context), meter).value;
  return new Markup(replaceText(text.value, from, to, maxCount, meter));
}

/** printf-style formatting with either positional or named arguments. */
const formatted: Filter = (value, args, kwargs, context) => {
  const named = kwargs !== undefined && kwargs.size > 0;
  if (args.length > 0 && named)
    throw argumentError("can't handle positional and keyword arguments at the same time");
  const formatArgs = named ? PyDict.from(kwargs) : new PyTuple(args);
  return percentFormat(softText(value, context), formatArgs, context.meter);
};

/** The HTML of an object that provides it, otherwise its text. */
function htmlOf(value: Value, context: FilterContext): string {
  return (value instanceof PyObject ? value.html?.() : undefined) ?? plainText(value, context);
}

export const textFilters: FilterEntries = [
  changing("upper", (text) => text.toUpperCase()),
  changing("lower", (text) => text.toLowerCase()),
  changing("capitalize", capitalize),
  define("title", "text", "", titled),
  define("trim", "soft", "chars = none", (text, chars) => {
    if (chars === null) return alike(text, strip(textOf(text)));
    const rawChars = needText(chars, "trim arg");
    // Methods of Markup escape their arguments.
    const charSet = text instanceof Markup && !(chars instanceof Markup) ? escapeHtml(rawChars) : rawChars;
    return alike(text, stripChars(textOf(text), charSet, true, true));
  }),
  define("center", "soft", "width: int = 80", (text, width, { meter }) =>
    alike(text, center(textOf(text), width, " ", meter)),
  ),
  define("replace", "any", "old, new, count: int = none", replaced),
  define("indent", "any", "width = 4, first: flag = false, blank: flag = false", indented),
  define(
    "truncate",
    "any",
    "length: int = 255, killwords: flag = false, end = '...', leeway: int = none",
    truncated,
  ),
  define(
    "wordwrap",
    (value: Value) => needText(value, "wordwrap input"),
    "width: int = 79, break_long_words: flag = true, wrapstring = none, break_on_hyphens: flag = true",
    (text, width, breakLong, wrapString, onHyphens, { meter, run }) => {
      const separator = wrapString === null ? run.newline : needText(wrapString, "wrapstring");
      const lines = splitLines(text).map((line) =>
        wrapText(line, width, breakLong, onHyphens).join(separator),
      );
      return joinText(separator, lines, meter);
    },
  ),
  define("wordcount", "text", "", (text) => text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0),
  variadic("format", formatted),
  define("string", "soft", "", (text) => text),
  define("safe", "any", "", (value, context) =>
    value instanceof Markup ? value : new Markup(htmlOf(value, context)),
  ),
  define("escape e", "any", "", (value, { meter }) => escapeValue(value, meter)),
  define("forceescape", htmlOf, "", (text) => new Markup(escapeHtml(text))),
  define("striptags", htmlOf, "", stripTags),
].flat();
