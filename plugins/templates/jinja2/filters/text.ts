/** Filters that change text. */

import { add } from "../../python/arith.ts";
import { capitalize, splitLines, strip } from "../../python/blanks.ts";
import { textLength, textSlice } from "../../python/codepoints.ts";
import { PyDict } from "../../python/dict.ts";
import { PyError, typeError } from "../../python/errors.ts";
import { escapeHtml } from "../../python/html.ts";
import { escapeValue, stripTags } from "../../python/markup.ts";
import { percentFormat } from "../../python/percent.ts";
import { center, joinText, needText, replaceText, stripChars } from "../../python/strings.ts";
import { isText, Markup, PyObject, PyTuple, textOf, typeName, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { alike, argumentError, type Entry, filter, flag, integer, plainText, softText } from "./define.ts";
import { lengthOf } from "./sequences.ts";
import { wrapText } from "./wrap.ts";

function changing(name: string, change: (text: string) => string): Entry {
  return filter(name, [], (value, _given, context) => {
    const text = softText(value, context);
    return alike(text, change(textOf(text)));
  });
}

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

function indented(value: Value, width: Value, first: boolean, blank: boolean, context: FilterContext): Value {
  const { meter } = context;
  if (!isText(value)) {
    add(value, "\n", meter);
    throw typeError(`can only indent text, not ${typeName(value)}`);
  }
  const indention = isText(width) ? textOf(width) : " ".repeat(limited(integer(width, 4), context));
  const lines = splitLines(`${textOf(value)}\n`);
  let size = textOf(value).length;
  const result = lines.map((line, i) => {
    const wanted = i === 0 ? first : blank || line !== "";
    size += wanted ? indention.length : 0;
    if (size > meter.limits.stringChars) meter.text(size);
    return wanted ? indention + line : line;
  });
  return alike(value, result.join("\n"));
}

function limited(count: number, { meter }: FilterContext): number {
  meter.text(count);
  return Math.max(0, count);
}

function truncated(value: Value, length: number, killWords: boolean, end: Value, leeway: number): Value {
  const tail = needText(end, "end");
  if (length < textLength(tail)) {
    throw new PyError("AssertionError", `expected length >= ${textLength(tail)}, got ${length}`);
  }
  if (leeway < 0) throw new PyError("AssertionError", `expected leeway >= 0, got ${leeway}`);
  if (lengthOf(value) <= length + leeway) return value;
  if (!isText(value)) throw typeError(`can only truncate text, not ${typeName(value)}`);
  const text = textOf(value);
  const kept = textSlice(text, 0, length - textLength(tail));
  const blank = kept.lastIndexOf(" ");
  const cut = killWords || blank < 0 ? kept : kept.slice(0, blank);
  return alike(value, cut + (value instanceof Markup && typeof end === "string" ? escapeHtml(tail) : tail));
}

function replaced(value: Value, old: Value, by: Value, count: number, context: FilterContext): Value {
  const { meter } = context;
  if (!context.autoescape) {
    return replaceText(
      plainText(value, context),
      plainText(old, context),
      plainText(by, context),
      count,
      meter,
    );
  }
  let text = softText(value, context);
  if (old instanceof Markup || (by instanceof Markup && !(value instanceof Markup)))
    text = escapeValue(text, meter);
  if (!(text instanceof Markup)) {
    return replaceText(text, plainText(old, context), plainText(by, context), count, meter);
  }
  const from = escapeValue(softText(old, context), meter).value;
  return new Markup(
    replaceText(text.value, from, escapeValue(softText(by, context), meter).value, count, meter),
  );
}

function wordCount(text: string): number {
  return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
}

function isHtmlObject(value: Value): value is PyObject & { html(): string } {
  return value instanceof PyObject && value.html !== undefined;
}

export const textFilters: readonly Entry[] = [
  changing("upper", (text) => text.toUpperCase()),
  changing("lower", (text) => text.toLowerCase()),
  changing("capitalize", capitalize),
  filter("title", [], (value, _given, context) => titled(textOf(softText(value, context)))),
  filter("trim", ["chars?"], (value, [chars = null], context) => {
    const text = softText(value, context);
    const body = textOf(text);
    return alike(
      text,
      chars === null ? strip(body) : stripChars(body, needText(chars, "trim arg"), true, true),
    );
  }),
  filter("center", ["width?"], (value, [width], context) => {
    const text = softText(value, context);
    return alike(text, center(textOf(text), integer(width, 80), " ", context.meter));
  }),
  filter("replace", ["old", "new", "count?"], (value, [old = null, by = null, count = null], context) =>
    replaced(value, old, by, count === null ? -1 : integer(count, -1), context),
  ),
  filter("indent", ["width?", "first?", "blank?"], (value, [width = 4, first, blank], context) =>
    indented(value, width, flag(first), flag(blank), context),
  ),
  filter(
    "truncate",
    ["length?", "killwords?", "end?", "leeway?"],
    (value, [length, killWords, end = "...", leeway = null]) =>
      truncated(value, integer(length, 255), flag(killWords), end, leeway === null ? 5 : integer(leeway, 5)),
  ),
  filter(
    "wordwrap",
    ["width?", "break_long_words?", "wrapstring?", "break_on_hyphens?"],
    (value, [width, breakLong, wrapString = null, onHyphens], context) => {
      const separator = wrapString === null ? context.run.newline : needText(wrapString, "wrapstring");
      const lines = splitLines(needText(value, "wordwrap input")).map((line) =>
        wrapText(line, integer(width, 79), flag(breakLong, true), flag(onHyphens, true)).join(separator),
      );
      return joinText(separator, lines, context.meter);
    },
  ),
  filter("wordcount", [], (value, _given, context) => wordCount(textOf(softText(value, context)))),
  [
    "format",
    (value, args, kwargs, context) => {
      if (args.length > 0 && kwargs !== undefined && kwargs.size > 0) {
        throw argumentError("can't handle positional and keyword arguments at the same time");
      }
      const given = kwargs !== undefined && kwargs.size > 0 ? PyDict.from(kwargs) : new PyTuple(args);
      return percentFormat(softText(value, context), given, context.meter);
    },
  ],
  filter("string", [], (value, _given, context) => softText(value, context)),
  filter("safe", [], (value, _given, context) =>
    value instanceof Markup
      ? value
      : new Markup(isHtmlObject(value) ? value.html() : plainText(value, context)),
  ),
  filter("escape", [], (value, _given, { meter }) => escapeValue(value, meter)),
  filter("e", [], (value, _given, { meter }) => escapeValue(value, meter)),
  filter("forceescape", [], (value, _given, context) => {
    const text = isHtmlObject(value) ? value.html() : plainText(value, context);
    return new Markup(escapeHtml(text));
  }),
  filter("striptags", [], (value, _given, context) =>
    stripTags(isHtmlObject(value) ? value.html() : plainText(value, context)),
  ),
];
