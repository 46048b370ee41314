/** Parses JSON without loss: key order is kept, 2.0 stays a float, large integers stay exact. */
import { PyError, TemplateError } from "../errors.ts";
import { limitError } from "../limits.ts";
import { PyDict } from "../values/dict.ts";
import { MAX_SHAPED_KEYS, Shape } from "../values/shape.ts";
import { PyFloat, toInt, type Value } from "../values/values.ts";

export const MAX_JSON_NESTING = 200;
const MAX_DIGITS = 4300;
/** Beyond this many distinct key sets, dictionaries no longer share them. */
const MAX_SHAPES = 2000;

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const CONTROL = /[\0-\x1f]/;
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
  return readJson(text, new SharedKeys());
}

/** `json.loads`: invalid text raises a JSONDecodeError with its position. */
export function loadJson(text: string): Value {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof TemplateError) || error.at.line === undefined) throw error;
    const { line, column } = error.at;
    throw new PyError("JSONDecodeError", `${error.message} (line ${line}, column ${column})`);
  }
}

/** Key sets that dictionaries share, also across similar texts. */
export class SharedKeys {
  empty = new Shape([]);
  count = 0;
}

/**
 * `parseJson` for similar texts. All callers share one reader: a reader per kind of text would take more of
 * the CPU cache.
 */
export const readJson: (text: string, keys: SharedKeys) => Value = createJsonReader();

function createJsonReader(): (text: string, keys: SharedKeys) => Value {
  let keys = new SharedKeys();
  let text = "";
  /** Whether the text has no control characters, not even line breaks. */
  let plain = true;
  let at = 0;
  let depth = 0;
  /** Position of the next backslash; strings before it are sliced whole. */
  let backslash = -1;

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
    const start = ++at;
    if (backslash >= 0 && backslash < start) backslash = text.indexOf("\\", start);
    const end = text.indexOf('"', start);
    if (end < 0) return fail("unterminated string");
    if (backslash >= 0 && backslash < end) return escapedString(start);
    const body = text.slice(start, end);
    if (!plain && CONTROL.test(body)) return fail("control character in a string");
    at = end + 1;
    return body;
  };

  const escapedString = (begin: number): string => {
    let start = begin;
    let result = "";
    for (let i = begin; ; i++) {
      const code = text.charCodeAt(i);
      at = i;
      if (code === 34) {
        at++;
        return result + text.slice(start, i);
      }
      if (!(code >= 32))
        return fail(i >= text.length ? "unterminated string" : "control character in a string");
      if (code !== 92) continue;
      result += text.slice(start, i);
      const escaped = text[i + 1] ?? "";
      const simple = ESCAPES[escaped];
      if (simple !== undefined) {
        result += simple;
        i += 1;
      } else {
        const hex = text.slice(i + 2, i + 6);
        if (escaped !== "u" || !/^[0-9a-fA-F]{4}$/.test(hex)) return fail("invalid escape");
        result += String.fromCharCode(Number.parseInt(hex, 16));
        i += 5;
      }
      start = i + 1;
    }
  };

  const number = (): Value => {
    let value = 0;
    let i = at;
    for (let code = text.charCodeAt(i); code >= 48 && code <= 57; code = text.charCodeAt(++i)) {
      value = value * 10 + code - 48;
    }
    const end = text.charCodeAt(i);
    const length = i - at;
    const simple = end !== 46 && end !== 69 && end !== 101 && (text.charCodeAt(at) !== 48 || length === 1);
    if (length > 0 && length < 16 && simple) {
      at = i;
      return value;
    }
    return anyNumber();
  };

  const anyNumber = (): Value => {
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

  /** The key at this position; first compared with the key that the previous dictionary had here. */
  const keyLike = (expected: string | undefined): string => {
    if (expected !== undefined && text.startsWith(expected, at + 1)) {
      const end = at + 1 + expected.length;
      if (text.charCodeAt(end) === 34 && !(backslash >= at && backslash < end)) {
        at = end + 1;
        return expected;
      }
    }
    return string();
  };

  const object = (): PyDict => {
    enter();
    at++;
    let shape = keys.empty;
    const values: Value[] = [];
    let dict: PyDict | undefined;
    if (blank() === 125) at++;
    else {
      for (;;) {
        if (blank() !== 34) return fail("expected a key in quotes");
        const key = keyLike(dict === undefined ? shape.lastKey : undefined);
        if (blank() !== 58) return fail("expected ':'");
        at++;
        const item = value();
        if (dict !== undefined) dict.set(key, item);
        else if (shape.lastKey === key && shape.lastShape !== undefined) {
          shape = shape.lastShape;
          values.push(item);
        } else if (
          values.length >= MAX_SHAPED_KEYS ||
          keys.count >= MAX_SHAPES ||
          shape.names.includes(key)
        ) {
          dict = PyDict.shaped(shape, values);
          dict.set(key, item);
        } else {
          keys.count++;
          shape = shape.with(key);
          values.push(item);
        }
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
    return dict ?? PyDict.shaped(shape, values);
  };

  const value = (): Value => {
    const code = blank();
    if (code === 34) return string();
    if (code === 123) return object();
    if (code === 91) return list();
    if (code >= 48 && code <= 57) return number();
    for (const [word, meaning] of WORDS) {
      if (code === word.charCodeAt(0) && text.startsWith(word, at)) {
        at += word.length;
        return meaning;
      }
    }
    return anyNumber();
  };

  return (source, shared) => {
    text = source;
    keys = shared;
    plain = !CONTROL.test(text);
    at = 0;
    depth = 0;
    backslash = text.indexOf("\\");
    if (keys.count >= MAX_SHAPES) {
      keys.empty = new Shape([]);
      keys.count = 0;
    }
    const result = value();
    blank();
    if (at < text.length) fail(`unexpected '${text[at]}'`);
    text = "";
    return result;
  };
}
