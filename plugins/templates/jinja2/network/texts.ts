/** Text filters: comment, quote, Base64, split. */

import { Buffer } from "node:buffer";
import {
  callMethod,
  decode,
  encode,
  isText,
  type Meter,
  replaceText,
  stripEnd,
  textOf,
  typeError,
  typeName,
  Undefined,
  type Value,
  valueError,
} from "../../python/index.ts";
import { define, type FilterEntries, onlyText, plainText, variadic } from "../filters/define.ts";
import type { Filter, FilterContext } from "../filters/kinds.ts";

interface CommentStyle {
  readonly decoration: string;
  readonly beginning?: string;
  readonly end?: string;
}

const COMMENTS: ReadonlyMap<string, CommentStyle> = new Map<string, CommentStyle>([
  ["plain", { decoration: "# " }],
  ["erlang", { decoration: "% " }],
  ["c", { decoration: "// " }],
  ["cblock", { beginning: "/*", decoration: " * ", end: " */" }],
  ["xml", { beginning: "<!--", decoration: " - ", end: "-->" }],
]);

function comment(
  written: string,
  styleName: string,
  ownDecoration: Value,
  ownBeginning: Value,
  ownPrefix: Value,
  prefixCount: number,
  ownPostfix: Value,
  postfixCount: number,
  ownEnd: Value,
  newline: string,
  context: FilterContext,
): string {
  const { meter } = context;
  const style = COMMENTS.get(styleName);
  if (style === undefined)
    throw valueError(`the style is one of ${[...COMMENTS.keys()].join(", ")}, not '${styleName}'`);
  const or = (explicit: Value, usual: string): string =>
    explicit === null ? usual : plainText(explicit, context);
  const decoration = or(ownDecoration, style.decoration);
  const bare = stripEnd(decoration);
  const prefix = or(ownPrefix, bare);
  const beginning = or(ownBeginning, style.beginning ?? "");
  const end = or(ownEnd, style.end ?? "");
  const decorated = decoration + replaceText(written, newline, newline + decoration, -1, meter);
  // Also applies if the text itself ends a line with the decoration.
  const body = replaceText(decorated, decoration + newline, bare + newline, -1, meter);
  const before = prefix === "" || prefix === newline ? prefix : prefix + newline;
  const result = [
    beginning === "" ? "" : beginning + newline,
    repeated(before, prefixCount, meter),
    body,
    repeated(newline + or(ownPostfix, bare), postfixCount, meter),
    end === "" ? "" : newline + end,
  ].join("");
  meter.text(result.length);
  return result;
}

function repeated(text: string, count: number, meter: Meter): string {
  const times = Math.max(0, count);
  meter.text(text.length * times);
  return text.repeat(times);
}

/** Quotes a word for a POSIX shell. */
function shellWord(text: string): string {
  if (text === "") return "''";
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

function fromBase64(value: Value, encoding: string, context: FilterContext): string {
  const text = plainText(value, context);
  let digits = "";
  let padding = 0;
  for (const char of text.replace(/[^A-Za-z0-9+/=]/g, "")) {
    const open = digits.length % 4;
    if (char !== "=") {
      digits += char;
      padding = 0;
    } else if (open >= 2 && open + ++padding >= 4) break; // The rest is ignored.
  }
  const missing = (4 - (digits.length % 4)) % 4;
  if (missing === 3 || padding < missing) throw valueError("incorrect padding of Base64");
  return decode(Buffer.from(digits, "base64").toString("latin1"), encoding, "strict");
}

const split: Filter = (value, args, kwargs, { meter }) => {
  if (value instanceof Undefined) return value.fail();
  if (!isText(value)) throw typeError(`only text can be split, not ${typeName(value)}`);
  return callMethod(textOf(value), "split", args, kwargs, meter) ?? null;
};

const FIXES = "prefix = none, prefix_count: int = 1, postfix = none, postfix_count: int = 1";

export const dressingFilters: FilterEntries = [
  define(
    "comment",
    onlyText("only text can be a comment"),
    `style: text = 'plain', decoration = none, beginning = none, ${FIXES}, end = none, newline: text = '\n'`,
    comment,
  ),
  define("quote", "any", "", (value, context) => shellWord(value === null ? "" : plainText(value, context))),
  define("b64encode", "defined", "encoding: text = 'utf-8'", (value, encoding, context) =>
    Buffer.from(encode(plainText(value, context), encoding, "strict"), "latin1").toString("base64"),
  ),
  define("b64decode", "defined", "encoding: text = 'utf-8'", fromBase64),
  variadic("split", split),
].flat();
