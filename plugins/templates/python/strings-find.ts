/** The methods of str that search and split text. */
import { signature } from "./args.ts";
import { isBlank, stripEnd, words } from "./blanks.ts";
import { fromUnits, textLength, textSlice } from "./codepoints.ts";
import { typeError, valueError } from "./errors.ts";
import { indexOf, PySlice, sliceBounds } from "./slice.ts";
import { needInt, needText, type TextMethod } from "./strings.ts";
import { isText, PyTuple, textOf, typeName } from "./values.ts";

function splitting(name: "split" | "rsplit"): [string, TextMethod] {
  const bind = signature(name, ["sep?", "maxsplit?"]);
  return [
    name,
    (self, args, kwargs, meter) => {
      const [sep = null, maxsplit] = bind(args, kwargs);
      const limit = needInt(maxsplit, -1);
      const parts =
        sep === null ? splitBlanks(self, limit, name) : splitAt(self, needText(sep, "sep"), limit, name);
      meter.items(parts.length);
      return parts;
    },
  ];
}

function splitBlanks(text: string, limit: number, name: string): string[] {
  if (name === "split" || limit < 0) return words(text, limit);
  const parts: string[] = [];
  let rest = stripEnd(text);
  while (rest !== "") {
    if (parts.length === limit) {
      parts.unshift(rest);
      break;
    }
    let at = rest.length;
    while (at > 0 && !isBlank(rest[at - 1] ?? "")) at--;
    parts.unshift(rest.slice(at));
    rest = stripEnd(rest.slice(0, at));
  }
  return parts;
}

function splitAt(text: string, separator: string, limit: number, name: string): string[] {
  if (separator === "") throw valueError("empty separator");
  const parts = text.split(separator);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  if (name === "split") return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
  const cut = parts.length - limit;
  return [parts.slice(0, cut).join(separator), ...parts.slice(cut)];
}

function partition(name: string, last: boolean): [string, TextMethod] {
  const bind = signature(name, ["sep"], false);
  return [
    name,
    (self, args, kwargs) => {
      const separator = needText(bind(args, kwargs)[0], "sep");
      if (separator === "") throw valueError("empty separator");
      const at = last ? self.lastIndexOf(separator) : self.indexOf(separator);
      if (at < 0) return new PyTuple(last ? ["", "", self] : [self, "", ""]);
      return new PyTuple([self.slice(0, at), separator, self.slice(at + separator.length)]);
    },
  ];
}

function searching(
  name: string,
  find: (text: string, sub: string) => number,
  strict: boolean,
): [string, TextMethod] {
  const bind = signature(name, ["sub", "start?", "end?"], false);
  return [
    name,
    (self, args, kwargs) => {
      const [sub, start = null, end = null] = bind(args, kwargs);
      const wanted = needText(sub, `${name}() argument 1`);
      const length = textLength(self);
      const bounds = sliceBounds(new PySlice(start, end, null), length);
      const from = indexOf(start) ?? 0;
      if (from > length || (bounds.stop < bounds.start && !(wanted === "" && name === "count"))) {
        return missing(name, strict);
      }
      const part = textSlice(self, bounds.start, bounds.stop);
      const found = find(part, wanted);
      if (name === "count") return found;
      return found < 0 ? missing(name, strict) : bounds.start + fromUnits(part, found);
    },
  ];
}

function missing(name: string, strict: boolean): number {
  if (strict) throw valueError("substring not found");
  return name === "count" ? 0 : -1;
}

function countText(text: string, sub: string): number {
  return sub === "" ? textLength(text) + 1 : text.split(sub).length - 1;
}

function affix(name: string, test: (text: string, sub: string) => boolean): [string, TextMethod] {
  const bind = signature(name, ["prefix", "start?", "end?"], false);
  return [
    name,
    (self, args, kwargs) => {
      const [wanted = null, start = null, end = null] = bind(args, kwargs);
      const bounds = sliceBounds(new PySlice(start, end, null), textLength(self));
      if ((indexOf(start) ?? 0) > textLength(self)) return false;
      const part = start === null && end === null ? self : textSlice(self, bounds.start, bounds.stop);
      if (wanted instanceof PyTuple)
        return wanted.items.some((one) => test(part, needText(one, `${name} arg`)));
      if (isText(wanted)) return test(part, textOf(wanted));
      throw typeError(`${name} first arg must be str or a tuple of str, not ${typeName(wanted)}`);
    },
  ];
}

export const findingMethods: readonly [string, TextMethod][] = [
  splitting("split"),
  splitting("rsplit"),
  partition("partition", false),
  partition("rpartition", true),
  searching("find", (text, sub) => text.indexOf(sub), false),
  searching("rfind", (text, sub) => text.lastIndexOf(sub), false),
  searching("index", (text, sub) => text.indexOf(sub), true),
  searching("rindex", (text, sub) => text.lastIndexOf(sub), true),
  searching("count", countText, false),
  affix("startswith", (text, sub) => text.startsWith(sub)),
  affix("endswith", (text, sub) => text.endsWith(sub)),
];
