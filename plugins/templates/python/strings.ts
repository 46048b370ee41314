/** The methods of str that change, pad and join text. */
import { signature } from "./args.ts";
import {
  capitalize,
  caseFold,
  splitLines,
  strip,
  stripEnd,
  stripStart,
  swapCase,
  titleCase,
} from "./blanks.ts";
import { encoded } from "./bytes.ts";
import { isWide, textLength, textSlice } from "./codepoints.ts";
import { PyDict } from "./dict.ts";
import { typeError, valueError } from "./errors.ts";
import { pad } from "./formatspec.ts";
import { itemsOf } from "./iterate.ts";
import type { Meter } from "./limits.ts";
import { indexOf } from "./slice.ts";
import { isText, type Kwargs, textOf, typeName, type Value } from "./values.ts";

export type Method<T> = (self: T, args: readonly Value[], kwargs: Kwargs | undefined, meter: Meter) => Value;
export type TextMethod = Method<string>;

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

function plain(name: string, change: (text: string) => string): [string, TextMethod] {
  const none = signature(name, [], false);
  return [
    name,
    (self, args, kwargs) => {
      none(args, kwargs);
      return change(self);
    },
  ];
}

function stripping(name: string, start: boolean, end: boolean): [string, TextMethod] {
  const bind = signature(name, ["chars?"], false);
  return [
    name,
    (self, args, kwargs) => {
      const [chars = null] = bind(args, kwargs);
      if (chars === null) return start ? (end ? strip(self) : stripStart(self)) : stripEnd(self);
      return stripChars(self, needText(chars, `${name} arg`), start, end);
    },
  ];
}

export function stripChars(text: string, chars: string, start: boolean, end: boolean): string {
  const set = new Set(chars);
  const all = isWide(text) ? Array.from(text) : text;
  let from = 0;
  let to = all.length;
  if (start) while (from < to && set.has(all[from] ?? "")) from++;
  if (end) while (to > from && set.has(all[to - 1] ?? "")) to--;
  return textSlice(text, from, to);
}

function padding(name: string, align: string): [string, TextMethod] {
  const bind = signature(name, ["width", "fillchar?"], false);
  return [
    name,
    (self, args, kwargs, meter) => {
      const [width, fillchar = " "] = bind(args, kwargs);
      const fill = needText(fillchar, "The fill character");
      if (textLength(fill) !== 1) throw typeError("The fill character must be exactly one character long");
      const size = needInt(width, 0);
      return align === "^" ? center(self, size, fill, meter) : pad(self, size, align, fill, meter);
    },
  ];
}

/** `text.center(width)`: of an odd rest, the side depends on the width, as in Python. */
export function center(text: string, width: number, fill: string, meter: Meter): string {
  const missing = width - textLength(text);
  if (missing <= 0) return text;
  meter.text(width * fill.length);
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

/** `text.replace(old, new, count)`; what it would build is counted first. */
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

/** `separator.join(items)`; `textual` gives the text of an item or throws. */
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

const bindReplace = signature("replace", ["old", "new", "count?"], false);
const bindJoin = signature("join", ["iterable"], false);
const bindLines = signature("splitlines", ["keepends?"]);
const bindTabs = signature("expandtabs", ["tabsize?"]);
const bindZfill = signature("zfill", ["width"], false);
const bindPrefix = signature("removeprefix", ["prefix"], false);
const bindSuffix = signature("removesuffix", ["suffix"], false);
const bindTranslate = signature("translate", ["table"], false);

export const changingMethods: readonly [string, TextMethod][] = [
  plain("upper", (text) => text.toUpperCase()),
  plain("lower", (text) => text.toLowerCase()),
  plain("casefold", caseFold),
  ["encode", encoded],
  plain("capitalize", capitalize),
  plain("title", titleCase),
  plain("swapcase", swapCase),
  stripping("strip", true, true),
  stripping("lstrip", true, false),
  stripping("rstrip", false, true),
  padding("ljust", "<"),
  padding("rjust", ">"),
  padding("center", "^"),
  [
    "replace",
    (self, args, kwargs, meter) => {
      const [old, by, count] = bindReplace(args, kwargs);
      const from = needText(old, "replace() argument 1");
      return replaceText(self, from, needText(by, "replace() argument 2"), needInt(count, -1), meter);
    },
  ],
  [
    "join",
    (self, args, kwargs, meter) => {
      const items = itemsOf(bindJoin(args, kwargs)[0] ?? null, meter);
      const texts = items.map((item, i) => {
        if (isText(item)) return textOf(item);
        throw typeError(`sequence item ${i}: expected str instance, ${typeName(item)} found`);
      });
      return joinText(self, texts, meter);
    },
  ],
  ["splitlines", (self, args, kwargs) => splitLines(self, needInt(bindLines(args, kwargs)[0], 0) !== 0)],
  [
    "expandtabs",
    (self, args, kwargs, meter) => expandTabs(self, needInt(bindTabs(args, kwargs)[0], 8), meter),
  ],
  [
    "zfill",
    (self, args, kwargs, meter) => {
      const width = needInt(bindZfill(args, kwargs)[0], 0);
      const sign = /^[+-]/.exec(self)?.[0] ?? "";
      return sign + pad(self.slice(sign.length), width - sign.length, ">", "0", meter);
    },
  ],
  [
    "removeprefix",
    (self, args, kwargs) => {
      const prefix = needText(bindPrefix(args, kwargs)[0], "removeprefix() argument");
      return self.startsWith(prefix) ? self.slice(prefix.length) : self;
    },
  ],
  [
    "removesuffix",
    (self, args, kwargs) => {
      const suffix = needText(bindSuffix(args, kwargs)[0], "removesuffix() argument");
      return suffix !== "" && self.endsWith(suffix) ? self.slice(0, -suffix.length) : self;
    },
  ],
  [
    "translate",
    (self, args, kwargs, meter) => {
      const table = bindTranslate(args, kwargs)[0];
      if (!(table instanceof PyDict)) throw typeError("translate() wants a dictionary");
      let result = "";
      for (const char of self) {
        const by = table.get(char.codePointAt(0) ?? 0);
        if (by === undefined) result += char;
        else if (typeof by === "number") result += String.fromCodePoint(by);
        else if (by !== null) result += needText(by, "character mapping");
        meter.text(result.length);
      }
      return result;
    },
  ],
  [
    "maketrans",
    (_self, args) => {
      const table = new PyDict();
      const [from = null, to, drop] = args;
      if (to === undefined) {
        if (!(from instanceof PyDict))
          throw typeError("if you give only one argument to maketrans it must be a dict");
        for (const [key, value] of from.entries())
          table.set(isText(key) ? (textOf(key).codePointAt(0) ?? 0) : key, value);
        return table;
      }
      const left = Array.from(needText(from, "maketrans() argument 1"));
      const right = Array.from(needText(to, "maketrans() argument 2"));
      if (left.length !== right.length) {
        throw valueError("the first two maketrans arguments must have equal length");
      }
      for (let i = 0; i < left.length; i++)
        table.set(left[i]?.codePointAt(0) ?? 0, right[i]?.codePointAt(0) ?? 0);
      if (drop !== undefined)
        for (const char of needText(drop, "maketrans() argument 3"))
          table.set(char.codePointAt(0) ?? 0, null);
      return table;
    },
  ],
];
