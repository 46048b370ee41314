/** Reads JSON without loss: keys stay in order, 2.0 stays a float, large integers stay exact. */
import { TemplateError } from "../../../src/plugin/template.ts";
import { PyDict } from "./dict.ts";
import { limitError } from "./limits.ts";
import { PyFloat, toInt, type Value } from "./values.ts";

export const MAX_JSON_NESTING = 200;
const MAX_DIGITS = 4300;

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const PLAIN_END = /["\\\0-\x1f]/g;
const ESCAPES: Record<string, string> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const WORDS: readonly (readonly [string, Value])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
  ["NaN", new PyFloat(Number.NaN)],
  ["Infinity", new PyFloat(Number.POSITIVE_INFINITY)],
  ["-Infinity", new PyFloat(Number.NEGATIVE_INFINITY)],
];

/** @throws TemplateError with line and column; nesting beyond 200 levels is `TemplateLimit`. */
export function parseJson(text: string): Value {
  let at = 0;
  let depth = 0;

  const fail = (message: string): never => {
    const before = text.slice(0, at);
    throw new TemplateError("TemplateRuntime", `malformed JSON: ${message}`, {
      line: before.split("\n").length,
      column: at - before.lastIndexOf("\n"),
    });
  };
  const blank = (): number => {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
      at++;
    }
  };
  const enter = (): void => {
    if (++depth > MAX_JSON_NESTING) throw limitError(`JSON nested deeper than ${MAX_JSON_NESTING} levels`);
  };

  const string = (): string => {
    let start = ++at;
    let result = "";
    for (;;) {
      PLAIN_END.lastIndex = start;
      const end = PLAIN_END.exec(text)?.index ?? -1;
      if (end < 0) return fail("unterminated string");
      const char = text[end];
      if (char === '"') {
        at = end + 1;
        return result === "" ? text.slice(start, end) : result + text.slice(start, end);
      }
      at = end;
      if (char !== "\\") return fail("control character in a string");
      result += text.slice(start, end);
      const escaped = text[end + 1] ?? "";
      const simple = ESCAPES[escaped];
      if (simple !== undefined) {
        result += simple;
        start = end + 2;
      } else {
        const hex = text.slice(end + 2, end + 6);
        if (escaped !== "u" || !/^[0-9a-fA-F]{4}$/.test(hex)) return fail("invalid escape");
        result += String.fromCharCode(Number.parseInt(hex, 16));
        start = end + 6;
      }
    }
  };

  const number = (): Value => {
    NUMBER.lastIndex = at;
    const match = NUMBER.exec(text);
    if (match === null) return fail(at >= text.length ? "unexpected end" : `unexpected '${text[at]}'`);
    at = NUMBER.lastIndex;
    const [digits, fraction, exponent] = match;
    if (fraction !== undefined || exponent !== undefined) return new PyFloat(Number(digits));
    if (digits.length < 16) return Number(digits) + 0;
    if (digits.length > MAX_DIGITS) throw limitError(`an integer of more than ${MAX_DIGITS} digits`);
    return toInt(BigInt(digits));
  };

  const list = (): Value[] => {
    enter();
    at++;
    const items: Value[] = [];
    if (blank() === 93) at++;
    else {
      for (;;) {
        items.push(value());
        const code = blank();
        at++;
        if (code === 93) break;
        if (code !== 44) {
          at--;
          return fail("expected ',' or ']'");
        }
      }
    }
    depth--;
    return items;
  };

  const object = (): PyDict => {
    enter();
    at++;
    const dict = new PyDict();
    if (blank() === 125) at++;
    else {
      for (;;) {
        if (blank() !== 34) return fail("expected a key in quotes");
        const key = string();
        if (blank() !== 58) return fail("expected ':'");
        at++;
        dict.set(key, value());
        const code = blank();
        at++;
        if (code === 125) break;
        if (code !== 44) {
          at--;
          return fail("expected ',' or '}'");
        }
      }
    }
    depth--;
    return dict;
  };

  const value = (): Value => {
    const code = blank();
    if (code === 34) return string();
    if (code === 123) return object();
    if (code === 91) return list();
    for (const [word, meaning] of WORDS) {
      if (code === word.charCodeAt(0) && text.startsWith(word, at)) {
        at += word.length;
        return meaning;
      }
    }
    return number();
  };

  const result = value();
  blank();
  if (at < text.length) fail(`unexpected '${text[at]}'`);
  return result;
}
