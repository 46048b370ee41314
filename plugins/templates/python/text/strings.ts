/** Methods of str that change, pad and join text. */

import { typeError, valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { type Bound, methods } from "../values/args.ts";
import { PyDict } from "../values/dict.ts";
import { itemsOf } from "../values/iterate.ts";
import { indexOf } from "../values/slice.ts";
import { isText, textOf, typeName, type Value } from "../values/values.ts";
import {
  capitalize,
  caseFold,
  splitLines,
  strip,
  stripChars,
  stripEnd,
  stripStart,
  swapCase,
  titleCase,
} from "./blanks.ts";
import { encoded } from "./bytes.ts";
import { characterOf, textLength } from "./codepoints.ts";
import { pad } from "./formatspec.ts";

export function needText(value: Value | undefined, where: string): string {
  if (value !== undefined && isText(value)) return textOf(value);
  throw typeError(`${where} must be str, not ${typeName(value ?? null)}`);
}

export function needInt(value: Value | undefined, absent: number): number {
  if (value === undefined) return absent;
  const index = indexOf(value);
  if (index === undefined) throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
  return index;
}

const stripping =
  (name: string, start: boolean, end: boolean) =>
  (self: string, [chars = null]: Bound): string => {
    if (chars !== null) return stripChars(self, needText(chars, `${name} arg`), start, end);
    return start ? (end ? strip(self) : stripStart(self)) : stripEnd(self);
  };

const padding =
  (put: (text: string, width: number, fill: string, meter: Meter) => string) =>
  (self: string, [width, fillchar = " "]: Bound, meter: Meter): string => {
    const fill = needText(fillchar, "The fill character");
    if (textLength(fill) !== 1) throw typeError("The fill character must be exactly one character long");
    return put(self, needInt(width, 0), fill, meter);
  };

/** `text.center(width)`: as in Python, the width decides which side gets an odd space. */
export function center(text: string, width: number, fill: string, meter: Meter): string {
  const missing = width - textLength(text);
  if (missing <= 0) return text;
  meter.text(width * fill.length);
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

/** `text.replace(old, new, count)`; checks the size of the result first. */
export function replaceText(text: string, old: string, by: string, count: number, meter: Meter): string {
  if (count === 0) return text;
  const parts = old === "" ? ["", ...Array.from(text), ""] : text.split(old);
  if (old === "" && text === "") return by;
  const cuts = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
  if (cuts === 0) return text;
  meter.text(text.length + cuts * (by.length - old.length));
  if (cuts === parts.length - 1) return parts.join(by);
  return parts.slice(0, cuts + 1).join(by) + old + parts.slice(cuts + 1).join(old);
}

/** `separator.join(items)`; the items are text already. */
export function joinText(separator: string, items: readonly string[], meter: Meter): string {
  let length = Math.max(0, items.length - 1) * separator.length;
  for (const item of items) length += item.length;
  meter.text(length);
  return items.join(separator);
}

function expandTabs(text: string, size: number, meter: Meter): string {
  let column = 0;
  let result = "";
  for (const char of text) {
    if (char === "\t") {
      const blanks = size > 0 ? size - (column % size) : 0;
      meter.text(result.length + blanks);
      result += " ".repeat(blanks);
      column += blanks;
    } else {
      result += char;
      column = char === "\n" || char === "\r" ? 0 : column + 1;
    }
  }
  return result;
}

function translate(text: string, [table]: Bound, meter: Meter): string {
  if (!(table instanceof PyDict)) throw typeError("translate() wants a dictionary");
  let result = "";
  for (const char of text) {
    const by = table.get(char.codePointAt(0) ?? 0);
    if (by === undefined) result += char;
    else if (typeof by === "number") result += characterOf(by, "character mapping must be");
    else if (by !== null) result += needText(by, "character mapping");
    meter.text(result.length);
  }
  return result;
}

function translationTable([from = null, to, drop]: Bound): PyDict {
  const table = new PyDict();
  const code = (char: string | undefined): number => char?.codePointAt(0) ?? 0;
  if (to === undefined) {
    if (!(from instanceof PyDict))
      throw typeError("if you give only one argument to maketrans it must be a dict");
    for (const [key, value] of from.entries()) table.set(isText(key) ? code(textOf(key)) : key, value);
    return table;
  }
  const left = Array.from(needText(from, "maketrans() argument 1"));
  const right = Array.from(needText(to, "maketrans() argument 2"));
  if (left.length !== right.length)
    throw valueError("the first two maketrans arguments must have equal length");
  for (const [i, char] of left.entries()) table.set(code(char), code(right[i]));
  for (const char of drop === undefined ? "" : needText(drop, "maketrans() argument 3"))
    table.set(code(char), null);
  return table;
}

export const changingMethods = methods<string>({
  "upper()": (text) => text.toUpperCase(),
  "lower()": (text) => text.toLowerCase(),
  "casefold()": caseFold,
  "encode(encoding?, errors?)": encoded,
  "capitalize()": capitalize,
  "title()": titleCase,
  "swapcase()": swapCase,
  "strip(chars?, /)": stripping("strip", true, true),
  "lstrip(chars?, /)": stripping("lstrip", true, false),
  "rstrip(chars?, /)": stripping("rstrip", false, true),
  "ljust(width, fillchar?, /)": padding((text, width, fill, meter) => pad(text, width, "<", fill, meter)),
  "rjust(width, fillchar?, /)": padding((text, width, fill, meter) => pad(text, width, ">", fill, meter)),
  "center(width, fillchar?, /)": padding(center),
  "replace(old, new, count?, /)": (text, [old, by, count], meter) => {
    const from = needText(old, "replace() argument 1");
    return replaceText(text, from, needText(by, "replace() argument 2"), needInt(count, -1), meter);
  },
  "join(iterable, /)": (text, [iterable = null], meter) => {
    const texts = itemsOf(iterable, meter).map((item, i) => {
      if (isText(item)) return textOf(item);
      throw typeError(`sequence item ${i}: expected str instance, ${typeName(item)} found`);
    });
    return joinText(text, texts, meter);
  },
  "splitlines(keepends?)": (text, [keepEnds]) => splitLines(text, needInt(keepEnds, 0) !== 0),
  "expandtabs(tabsize?)": (text, [size], meter) => expandTabs(text, needInt(size, 8), meter),
  "zfill(width, /)": (text, [width], meter) => {
    const sign = /^[+-]/.exec(text)?.[0] ?? "";
    return sign + pad(text.slice(sign.length), needInt(width, 0) - sign.length, ">", "0", meter);
  },
  "removeprefix(prefix, /)": (text, [raw]) => {
    const prefix = needText(raw, "removeprefix() argument");
    return text.startsWith(prefix) ? text.slice(prefix.length) : text;
  },
  "removesuffix(suffix, /)": (text, [raw]) => {
    const suffix = needText(raw, "removesuffix() argument");
    return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
  },
  "translate(table, /)": translate,
  "maketrans(*tables)": (_text, tables) => translationTable(tables),
});
