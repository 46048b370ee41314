/** Calls of functions and methods: `f(a, *b, name=c, **d)`. */

import {
  callMethod,
  callValue,
  type Kwargs,
  PyDict,
  requireAttribute,
  typeError,
  type Value,
} from "../../python/index.ts";
import { comprehension } from "./displays.ts";
import { collecting, createExpr, type Expr } from "./expr.ts";
import { KEYWORDS, type Reader } from "./reader.ts";
import type { Evaluate, Frame } from "./scope.ts";

/** A keyword argument; without a name, `**value`. */
type Keyword = readonly [name: string | undefined, value: Evaluate];

/** @param method the method name, if the target is its object. */
export function parseCall(reader: Reader, { read: target }: Expr, method?: string): Expr {
  const { line } = reader.expect("(");
  const plain: Expr[] = [];
  const keywords: Keyword[] = [];
  while (!reader.take(")")) {
    argument(reader, plain, keywords);
    if (reader.take(",")) continue;
    reader.expect(")");
    break;
  }
  const positional = collecting(plain);
  const named = keywords.length === 0 ? undefined : (frame: Frame) => kwargsOf(keywords, frame);
  return createExpr("call", line, (frame) => {
    const now = target(frame);
    const args = positional(frame);
    const kwargs = named?.(frame);
    frame.line = line;
    const { meter } = frame;
    if (method === undefined) return callValue(now, args, kwargs, meter);
    const result = callMethod(now, method, args, kwargs, meter);
    if (result !== undefined) return result;
    return callValue(requireAttribute(now, method, meter), args, kwargs, meter);
  });
}

function argument(reader: Reader, plain: Expr[], keywords: Keyword[]): void {
  const { grammar } = reader;
  const token = reader.peek();
  const after = reader.peek(1);
  if (reader.take("**")) keywords.push([undefined, grammar.expression(reader).read]);
  else if (token.kind === "name" && after.kind === "op" && after.text === "=" && !KEYWORDS.has(token.text)) {
    reader.next();
    reader.next();
    keywords.push([token.text, grammar.expression(reader).read]);
  } else if (reader.take("*")) {
    const starred = grammar.expression(reader);
    plain.push({ ...starred, starred });
  } else plain.push(reader.leadsToFor() ? comprehension(reader, "generator", "") : grammar.named(reader));
}

function kwargsOf(keywords: readonly Keyword[], frame: Frame): Kwargs {
  const kwargs = new Map<string, Value>();
  const put = (name: Value, value: Value) => {
    if (typeof name !== "string") throw typeError("keywords must be strings");
    if (kwargs.has(name)) throw typeError(`got multiple values for keyword argument '${name}'`);
    kwargs.set(name, value);
  };
  for (const [name, read] of keywords) {
    const value = read(frame);
    if (name !== undefined) put(name, value);
    else if (!(value instanceof PyDict)) throw typeError("argument after ** must be a mapping");
    else value.each(put);
  }
  return kwargs;
}
