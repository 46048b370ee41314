/** Number and string literals: implicit concatenation, raw strings and f-strings. */
import {
  asciiRepr,
  attempt,
  formatValue,
  PyFloat,
  parseInteger,
  repr,
  str,
  unescapeLiteral,
  type Value,
} from "../../python/index.ts";
import { syntaxError, unsupported } from "./errors.ts";
import { createExpr, type Expr } from "./expr.ts";
import type { Reader } from "./reader.ts";
import type { Evaluate, Frame } from "./scope.ts";

/** An int or float literal. */
export function numberValue(text: string, line: number): Value {
  if (/[jJ]$/.test(text)) throw unsupported("a complex number", line);
  const integer = /^0[xXbBoO]|^[\d_]+$/.test(text) ? parseInteger(text, 0) : undefined;
  return integer ?? new PyFloat(Number(text.replaceAll("_", "")));
}

/** Text or a replacement field. */
type FormatPart =
  | string
  | { readonly value: Evaluate; readonly conversion: string; readonly spec: readonly FormatPart[] };

export function readStrings(reader: Reader): Expr {
  const { line } = reader.peek();
  const parts: FormatPart[] = [];
  while (reader.isKind("string")) {
    const token = reader.next();
    const prefix = token.prefix ?? "";
    if (prefix.includes("b")) throw unsupported("a bytes literal", token.line);
    const raw = prefix.includes("r");
    if (!prefix.includes("f")) parts.push(unescaped(token.text, raw, token.line));
    else parts.push(...formatParts({ reader, raw, line: token.line }, token.text, 2));
  }
  if (parts.some((part) => typeof part !== "string"))
    return createExpr("format", line, (frame) => formatted(parts, frame));
  const text = parts.join("");
  return createExpr("constant", line, () => text);
}

function formatted(parts: readonly FormatPart[], frame: Frame): string {
  const { meter } = frame;
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else {
      const value = converted(part.value(frame), part.conversion, frame);
      text += formatValue(value, formatted(part.spec, frame), meter);
    }
  }
  meter.text(text.length);
  return text;
}

function converted(value: Value, conversion: string, { meter }: Frame): Value {
  if (conversion === "r") return repr(value, meter);
  if (conversion === "s") return str(value, meter);
  return conversion === "a" ? asciiRepr(repr(value, meter)) : value;
}

function unescaped(body: string, raw: boolean, line: number): string {
  if (raw) return body;
  return attempt(
    () => unescapeLiteral(body),
    (error) => {
      throw syntaxError(error.pythonMessage, line);
    },
  );
}

/** The literal being parsed. */
interface Literal {
  readonly reader: Reader;
  readonly raw: boolean;
  readonly line: number;
}

/** @param depth remaining nesting depth of fields. */
function formatParts(literal: Literal, body: string, depth: number): FormatPart[] {
  const { raw, line } = literal;
  const parts: FormatPart[] = [];
  let text = "";
  let at = 0;
  while (at < body.length) {
    const char = body[at] ?? "";
    if ((char === "{" || char === "}") && body[at + 1] === char) {
      text += char;
      at += 2;
    } else if (char === "}") throw syntaxError("f-string: single '}' is not allowed", line);
    else if (char === "{") {
      if (depth === 0) throw syntaxError("f-string: expressions nested too deeply", line);
      parts.push(unescaped(text, raw, line));
      text = "";
      at = field(literal, body, at + 1, depth, parts);
    } else if (char === "\\" && body[at + 1] === "N" && body[at + 2] === "{" && !raw) {
      const end = body.indexOf("}", at);
      text += body.slice(at, end + 1);
      at = end < 0 ? body.length : end + 1;
    } else {
      text += char;
      at++;
    }
  }
  parts.push(unescaped(text, raw, line));
  return parts;
}

/** Parses a field after its `{`; returns the offset after it. */
function field(literal: Literal, body: string, from: number, depth: number, parts: FormatPart[]): number {
  const { reader, line } = literal;
  const end = expressionEnd(body, from, line);
  let source = body.slice(from, end);
  const debugMatch = /^([\s\S]*[^=!<>])=\s*$/.exec(source);
  if (debugMatch !== null) {
    parts.push(source);
    source = debugMatch[1] ?? "";
  }
  if (source.trim() === "") throw syntaxError("f-string: empty expression not allowed", line);
  const { read: value } = reader.grammar.source(source, line, reader.scope);
  let at = end;
  let conversion = "";
  if (body[at] === "!") {
    conversion = body[at + 1] ?? "";
    if (!"rsa".includes(conversion)) throw syntaxError(`f-string: invalid conversion '${conversion}'`, line);
    at += 2;
  } else if (debugMatch !== null && body[at] !== ":") conversion = "r";
  let spec: FormatPart[] = [];
  if (body[at] === ":") {
    const close = specEnd(body, at + 1);
    spec = formatParts(literal, body.slice(at + 1, close), depth - 1);
    at = close;
  }
  if (body[at] !== "}") throw syntaxError("f-string: expecting '}'", line);
  parts.push({ value, conversion, spec });
  return at + 1;
}

/** Offset of `!r`, `:spec` or `}` of the field. */
function expressionEnd(body: string, from: number, line: number): number {
  let open = 0;
  let quote = "";
  for (let at = from; at < body.length; at++) {
    const char = body[at] ?? "";
    if (quote !== "") {
      if (body.startsWith(quote, at)) {
        at += quote.length - 1;
        quote = "";
      }
      continue;
    }
    if (char === "'" || char === '"') {
      quote = body.startsWith(char.repeat(3), at) ? char.repeat(3) : char;
      at += quote.length - 1;
    } else if ("([{".includes(char)) open++;
    else if (open > 0 && ")]}".includes(char)) open--;
    else if (open === 0) {
      if (char === "}" || char === ":") return at;
      if (char === "!" && body[at + 1] !== "=") return at;
      if (char === "\\") throw syntaxError("f-string expression part cannot include a backslash", line);
    }
  }
  throw syntaxError("f-string: expecting '}'", line);
}

function specEnd(body: string, from: number): number {
  let open = 0;
  for (let at = from; at < body.length; at++) {
    if (body[at] === "{") open++;
    else if (body[at] === "}" && open-- === 0) return at;
  }
  return body.length;
}
