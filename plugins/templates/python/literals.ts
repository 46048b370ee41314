/** Reads one Python literal, as `ast.literal_eval`: numbers, text, tuples, lists, dictionaries, sets, constants. */
import { TemplateError } from "patchbay/plugin";
import { negate, positive } from "./arith.ts";
import { PyDict, PySet } from "./dict.ts";
import { PyError } from "./errors.ts";
import { unescapeLiteral } from "./escapes.ts";
import { limitError } from "./limits.ts";
import { parseInteger } from "./numbers.ts";
import { PyFloat, PyTuple, type Value } from "./values.ts";

/** Python's own parser gives up at about this nesting. */
const MAX_NESTING = 200;

const BLANK = /(?:[ \t\f\r\n]|\\\r?\n|#[^\n]*)*/y;
const NUMBER =
  /0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?/y;
const NAME = /[\p{XID_Start}_]\p{XID_Continue}*/uy;
const QUOTE = /([rRuU]?)("""|'''|"|')/y;
const CONSTANTS: Record<string, Value> = { None: null, True: true, False: false };

/** @throws TemplateError `TemplateSyntax` with line and column. */
export function parseLiteral(source: string): Value {
  const reader = createReader(source);
  const value = reader.value();
  reader.end();
  return value;
}

function createReader(source: string): { value(): Value; end(): void } {
  let at = 0;
  let depth = 0;

  const fail = (message: string): never => {
    const before = source.slice(0, at).split("\n");
    throw new TemplateError("TemplateSyntax", `malformed literal: ${message}`, {
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
    });
  };
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const blank = (): void => {
    match(BLANK);
  };
  const take = (char: string): boolean => {
    blank();
    if (source[at] !== char) return false;
    at++;
    return true;
  };

  const text = (): string => {
    let result = "";
    for (let quote = match(QUOTE); quote !== null; blank(), quote = match(QUOTE)) {
      const [, prefix = "", mark = ""] = quote;
      const start = at;
      const end = closing(source, at, mark);
      if (end === undefined) {
        at = start - mark.length;
        return fail("unterminated string");
      }
      at = end + mark.length;
      const body = source.slice(start, end).replace(/\r\n?/g, "\n");
      try {
        result += /[rR]/.test(prefix) ? body : unescapeLiteral(body);
      } catch (error) {
        if (error instanceof PyError) return fail(error.pythonMessage);
        throw error;
      }
    }
    return result;
  };

  const number = (digits: string): Value => {
    if (/^0[xXoObB]/.test(digits) || /^[\d_]+$/.test(digits)) {
      if (/^0[\d_]*[1-9]/.test(digits))
        return fail("leading zeros in decimal integer literals are not permitted");
      return parseInteger(digits, 0) ?? fail(`invalid number ${digits}`);
    }
    return new PyFloat(Number(digits.replaceAll("_", "")));
  };

  /** Items up to `close`; whether a comma stood in it tells a tuple from parentheses. */
  const items = (close: string): { values: Value[]; comma: boolean } => {
    const values: Value[] = [];
    let comma = false;
    while (!take(close)) {
      if (values.length > 0 && !comma) return fail(`expected ',' or '${close}'`);
      values.push(value());
      comma = take(",");
      if (!comma && !take(close)) return fail(`expected ',' or '${close}'`);
      if (!comma) break;
    }
    return { values, comma };
  };

  const braces = (): Value => {
    const dict = new PyDict();
    if (take("}")) return dict;
    const first = value();
    if (!take(":")) {
      const set = new PySet([first]);
      if (take(",")) for (const item of items("}").values) set.add(item);
      else if (!take("}")) return fail("expected ',' or '}'");
      return set;
    }
    dict.set(first, value());
    while (!take("}")) {
      if (!take(",")) return fail("expected ',' or '}'");
      if (take("}")) break;
      const key = value();
      if (!take(":")) return fail("expected ':'");
      dict.set(key, value());
    }
    return dict;
  };

  const atom = (): Value => {
    QUOTE.lastIndex = at;
    if (QUOTE.test(source)) return text();
    const digits = match(NUMBER);
    if (digits !== null) return number(digits[0]);
    const name = match(NAME)?.[0];
    if (name !== undefined) {
      const constant = Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name] : undefined;
      if (constant !== undefined) return constant;
      at -= name.length;
      return fail(`'${name}' is no literal`);
    }
    if (take("-")) return sign(negate);
    if (take("+")) return sign(positive);
    if (take("[")) return items("]").values;
    if (take("{")) return braces();
    if (take("(")) {
      const { values, comma } = items(")");
      return values.length === 1 && !comma ? (values[0] as Value) : new PyTuple(values);
    }
    return fail(at >= source.length ? "unexpected end" : `unexpected '${source[at]}'`);
  };

  const sign = (apply: (value: Value) => Value): Value => {
    const operand = value();
    if (typeof operand !== "number" && typeof operand !== "bigint" && !(operand instanceof PyFloat)) {
      return fail("a sign needs a number");
    }
    return apply(operand);
  };

  const value = (): Value => {
    if (++depth > MAX_NESTING) throw limitError(`a literal nested deeper than ${MAX_NESTING} levels`);
    blank();
    try {
      return atom();
    } catch (error) {
      if (error instanceof PyError) return fail(error.pythonMessage);
      throw error;
    } finally {
      depth--;
    }
  };

  return {
    value() {
      const first = value();
      if (!take(",")) return first;
      const values = [first];
      for (blank(); at < source.length; blank()) {
        values.push(value());
        if (!take(",")) break;
      }
      return new PyTuple(values);
    },
    end() {
      blank();
      if (at < source.length) fail(`unexpected '${source[at]}'`);
    },
  };
}

function closing(source: string, from: number, mark: string): number | undefined {
  for (let i = from; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source.startsWith(mark, i)) return i;
    else if (mark.length === 1 && source[i] === "\n") return undefined;
  }
  return undefined;
}
