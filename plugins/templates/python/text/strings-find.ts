/** Methods of str that search and split text. */

import { typeError, valueError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { type Bound, methods } from "../values/args.ts";
import { indexOf, PySlice, sliceBounds } from "../values/slice.ts";
import { isText, PyTuple, textOf, typeName, type Value } from "../values/values.ts";
import { isBlank, stripEnd, words } from "./blanks.ts";
import { fromUnits, textLength, textSlice } from "./codepoints.ts";
import { needInt, needText } from "./strings.ts";

type Body<R extends Value> = (self: string, args: Bound, meter: Meter) => R;

const splitting =
  (name: "split" | "rsplit"): Body<Value[]> =>
  (self, [sep = null, maxsplit], meter) => {
    const limit = needInt(maxsplit, -1);
    const parts =
      sep === null ? splitBlanks(self, limit, name) : splitAt(self, needText(sep, "sep"), limit, name);
    meter.items(parts.length);
    return parts;
  };

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

const partition =
  (last: boolean): Body<PyTuple> =>
  (self, [sep]) => {
    const separator = needText(sep, "sep");
    if (separator === "") throw valueError("empty separator");
    const at = last ? self.lastIndexOf(separator) : self.indexOf(separator);
    if (at < 0) return new PyTuple(last ? ["", "", self] : [self, "", ""]);
    return new PyTuple([self.slice(0, at), separator, self.slice(at + separator.length)]);
  };

const searching =
  (name: string, find: (text: string, sub: string) => number): Body<number> =>
  (self, [sub, start = null, end = null]) => {
    const needle = needText(sub, `${name}() argument 1`);
    const length = textLength(self);
    const bounds = sliceBounds(new PySlice(start, end, null), length);
    const outside = (indexOf(start) ?? 0) > length;
    const counts = name === "count";
    if (outside || bounds.stop < bounds.start) return counts ? 0 : -1;
    const part = textSlice(self, bounds.start, bounds.stop);
    const found = find(part, needle);
    if (counts) return found;
    return found < 0 ? -1 : bounds.start + fromUnits(part, found);
  };

/** `index`: like `find`, but raises if there is no match. */
const strict =
  (search: Body<number>): Body<number> =>
  (self, args, meter) => {
    const at = search(self, args, meter);
    if (at < 0) throw valueError("substring not found");
    return at;
  };

function countText(text: string, sub: string): number {
  return sub === "" ? textLength(text) + 1 : text.split(sub).length - 1;
}

const affix =
  (name: string, test: (text: string, sub: string) => boolean): Body<boolean> =>
  (self, [affix = null, start = null, end = null]) => {
    const bounds = sliceBounds(new PySlice(start, end, null), textLength(self));
    if ((indexOf(start) ?? 0) > textLength(self) || bounds.stop < bounds.start) return false;
    const part = start === null && end === null ? self : textSlice(self, bounds.start, bounds.stop);
    if (affix instanceof PyTuple)
      return affix.items.some((candidate) => test(part, needText(candidate, `${name} arg`)));
    if (isText(affix)) return test(part, textOf(affix));
    throw typeError(`${name} first arg must be str or a tuple of str, not ${typeName(affix)}`);
  };

const first = (text: string, sub: string): number => text.indexOf(sub);
const last = (text: string, sub: string): number => text.lastIndexOf(sub);

export const findingMethods = methods<string>({
  "split(sep?, maxsplit?)": splitting("split"),
  "rsplit(sep?, maxsplit?)": splitting("rsplit"),
  "partition(sep, /)": partition(false),
  "rpartition(sep, /)": partition(true),
  "find(sub, start?, end?, /)": searching("find", first),
  "rfind(sub, start?, end?, /)": searching("rfind", last),
  "index(sub, start?, end?, /)": strict(searching("index", first)),
  "rindex(sub, start?, end?, /)": strict(searching("rindex", last)),
  "count(sub, start?, end?, /)": searching("count", countText),
  "startswith(prefix, start?, end?, /)": affix("startswith", (text, sub) => text.startsWith(sub)),
  "endswith(suffix, start?, end?, /)": affix("endswith", (text, sub) => text.endsWith(sub)),
});
