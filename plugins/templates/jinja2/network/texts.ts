/** Filters that dress text up: comment, quote, Base64, split. */
import { Buffer } from "node:buffer";
import { signature } from "../../python/args.ts";
import { PyError, typeError, valueError } from "../../python/errors.ts";
import type { Meter } from "../../python/limits.ts";
import { callMethod } from "../../python/methods.ts";
import { isText, textOf, typeName, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { type Entry, filter, integer, plainText } from "../filters/define.ts";

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

const bindComment = signature("comment", [
  "style?",
  "decoration?",
  "beginning?",
  "prefix?",
  "prefix_count?",
  "postfix?",
  "postfix_count?",
  "end?",
  "newline?",
]);

const trimEnd = (text: string): string => text.replace(/\s+$/, "");

const comment: Entry[1] = (value, args, kwargs, context) => {
  const { meter } = context;
  const given = bindComment(args, kwargs);
  const text = (at: number, absent: string): string => {
    const one = given[at];
    return one === undefined ? absent : plainText(one, context);
  };
  if (value instanceof Undefined) return value.fail();
  if (!isText(value)) throw typeError(`only text can be a comment, not ${typeName(value)}`);
  const style = COMMENTS.get(text(0, "plain"));
  if (style === undefined)
    throw valueError(`the style is one of ${[...COMMENTS.keys()].join(", ")}, not '${text(0, "")}'`);
  const decoration = text(1, style.decoration);
  const newline = text(8, "\n");
  const prefix = text(3, trimEnd(decoration));
  const beginning = text(2, style.beginning ?? "");
  const end = text(7, style.end ?? "");
  const lines = textOf(value).split(newline);
  const body = lines.map((line, i) => {
    const last = i === lines.length - 1;
    return line === "" && !last ? trimEnd(decoration) : decoration + line;
  });
  const before = prefix === "" ? "" : prefix === newline ? newline : prefix + newline;
  const after = newline + text(5, trimEnd(decoration));
  const result = [
    beginning === "" ? "" : beginning + newline,
    repeated(before, integer(given[4], 1), meter),
    body.join(newline),
    repeated(after, integer(given[6], 1), meter),
    end === "" ? "" : newline + end,
  ].join("");
  meter.text(result.length);
  return result;
};

function repeated(text: string, count: number, meter: Meter): string {
  const times = Math.max(0, count);
  meter.text(text.length * times);
  return text.repeat(times);
}

/** One word of a POSIX shell. */
function shellWord(text: string): string {
  if (text === "") return "''";
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

function encodingOf(name: Value, context: FilterContext): "utf8" | "latin1" | "utf16le" {
  const text = plainText(name, context).toLowerCase().replace(/[-_]/g, "");
  if (text === "utf8" || text === "ascii") return "utf8";
  if (text === "latin1" || text === "iso88591") return "latin1";
  if (text === "utf16le") return "utf16le";
  throw new PyError("LookupError", `unknown encoding: ${plainText(name, context)}`);
}

function fromBase64(text: string, encoding: "utf8" | "latin1" | "utf16le"): string {
  const digits = text.replace(/[^A-Za-z0-9+/]/g, "");
  const padding = /=*$/.exec(text.replace(/[^A-Za-z0-9+/=]/g, ""))?.[0].length ?? 0;
  const missing = (4 - (digits.length % 4)) % 4;
  if (missing === 3 || padding < missing) throw valueError("incorrect padding of Base64");
  const bytes = Buffer.from(digits, "base64");
  if (encoding !== "utf8") return bytes.toString(encoding);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw valueError("the decoded bytes are no UTF-8 text");
  }
}

export const dressingFilters: readonly Entry[] = [
  ["comment", comment],
  filter("quote", [], (value, _given, context) => shellWord(value === null ? "" : plainText(value, context))),
  filter("b64encode", ["encoding?"], (value, [encoding = "utf-8"], context) => {
    if (value instanceof Undefined) return value.fail();
    return Buffer.from(plainText(value, context), encodingOf(encoding, context)).toString("base64");
  }),
  filter("b64decode", ["encoding?"], (value, [encoding = "utf-8"], context) => {
    if (value instanceof Undefined) return value.fail();
    return fromBase64(plainText(value, context), encodingOf(encoding, context));
  }),
  [
    "split",
    (value, args, kwargs, { meter }) => {
      if (value instanceof Undefined) return value.fail();
      if (!isText(value)) throw typeError(`only text can be split, not ${typeName(value)}`);
      return callMethod(textOf(value), "split", args, kwargs, meter) ?? null;
    },
  ],
];
