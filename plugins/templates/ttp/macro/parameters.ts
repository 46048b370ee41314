/** Parameter lists of functions, and number literals. */
import { parseInteger } from "../../python/numbers.ts";
import { PyFloat, type Value } from "../../python/values.ts";
import type { Expr, Parameter } from "./ast.ts";
import { unsupported } from "./errors.ts";
import type { Reader } from "./reader.ts";

type Parse = (reader: Reader) => Expr;

/** Up to `end`, which is not taken. */
export function parseParameters(reader: Reader, end: string, annotated: boolean, parse: Parse): Parameter[] {
  const parameters: Parameter[] = [];
  let keywordOnly = false;
  while (!reader.is(end)) {
    if (reader.take("/")) {
      for (const [i, one] of parameters.entries()) parameters[i] = { ...one, kind: "positional" };
    } else if (reader.take("*")) {
      keywordOnly = true;
      if (!reader.is(","))
        parameters.push({ kind: "star", name: annotatedName(reader, annotated, parse), fallback: undefined });
    } else if (reader.take("**")) {
      parameters.push({ kind: "double", name: annotatedName(reader, annotated, parse), fallback: undefined });
    } else {
      const name = annotatedName(reader, annotated, parse);
      const fallback = reader.take("=") ? parse(reader) : undefined;
      parameters.push({ kind: keywordOnly ? "keyword" : "plain", name, fallback });
    }
    if (!reader.take(",")) break;
  }
  return parameters;
}

function annotatedName(reader: Reader, annotated: boolean, parse: Parse): string {
  const name = reader.name();
  if (annotated && reader.take(":")) parse(reader);
  return name;
}

/** An int or float literal. */
export function numberValue(text: string, line: number): Value {
  if (/[jJ]$/.test(text)) throw unsupported("a complex number", line);
  const integer = /^0[xXbBoO]|^[\d_]+$/.test(text) ? parseInteger(text, 0) : undefined;
  return integer ?? new PyFloat(Number(text.replaceAll("_", "")));
}
