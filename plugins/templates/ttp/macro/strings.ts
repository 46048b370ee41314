/** String literals of macros: joined neighbours, raw and formatted ones. */
import { PyError } from "../../python/errors.ts";
import { unescapeLiteral } from "../../python/escapes.ts";
import type { Expr, FormatPart } from "./ast.ts";
import { syntaxError, unsupported } from "./errors.ts";
import type { Reader } from "./reader.ts";

/** Parses the expression of a replacement field. */
export type ParseField = (source: string, line: number) => Expr;

export function readStrings(reader: Reader, parseField: ParseField): Expr {
  const { line } = reader.peek();
  const parts: FormatPart[] = [];
  let plain = true;
  while (reader.isKind("string")) {
    const token = reader.next();
    const prefix = token.prefix ?? "";
    if (prefix.includes("b")) throw unsupported("a bytes literal", token.line);
    const raw = prefix.includes("r");
    if (prefix.includes("f")) {
      plain = false;
      parts.push(...formatParts(token.text, raw, token.line, 2, parseField));
    } else parts.push(unescaped(token.text, raw, token.line));
  }
  return plain ? { kind: "constant", value: parts.join(""), line } : { kind: "format", parts, line };
}

function unescaped(body: string, raw: boolean, line: number): string {
  if (raw) return body;
  try {
    return unescapeLiteral(body);
  } catch (error) {
    throw error instanceof PyError ? syntaxError(error.pythonMessage, line) : error;
  }
}

/** @param depth how deep fields may stand in each other. */
function formatParts(
  body: string,
  raw: boolean,
  line: number,
  depth: number,
  parseField: ParseField,
): FormatPart[] {
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
      at = field(body, at + 1, raw, line, depth, parts, parseField);
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

/** Reads from after `{`; returns where the text goes on. */
function field(
  body: string,
  from: number,
  raw: boolean,
  line: number,
  depth: number,
  parts: FormatPart[],
  parseField: ParseField,
): number {
  const end = expressionEnd(body, from, line);
  let source = body.slice(from, end);
  const shown = /^([\s\S]*[^=!<>])=\s*$/.exec(source);
  if (shown !== null) {
    parts.push(source);
    source = shown[1] ?? "";
  }
  if (source.trim() === "") throw syntaxError("f-string: empty expression not allowed", line);
  const value = parseField(source, line);
  let at = end;
  let conversion = "";
  if (body[at] === "!") {
    conversion = body[at + 1] ?? "";
    if (!"rsa".includes(conversion)) throw syntaxError(`f-string: invalid conversion '${conversion}'`, line);
    at += 2;
  } else if (shown !== null && body[at] !== ":") conversion = "r";
  let spec: FormatPart[] = [];
  if (body[at] === ":") {
    const close = specEnd(body, at + 1);
    spec = formatParts(body.slice(at + 1, close), raw, line, depth - 1, parseField);
    at = close;
  }
  if (body[at] !== "}") throw syntaxError("f-string: expecting '}'", line);
  parts.push({ value, conversion, spec });
  return at + 1;
}

/** Where `!r`, `:spec` or `}` of the field begins. */
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
