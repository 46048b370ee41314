/** Displays and comprehensions: tuples, lists, sets, dictionaries and generators. */

import {
  iterate,
  PyDict,
  PyIterator,
  PySet,
  PyTuple,
  truth,
  typeError,
  typeName,
  updateDict,
  type Value,
} from "../../python/index.ts";
import { unsupported } from "./errors.ts";
import { assigning, collecting, createExpr, type Expr } from "./expr.ts";
import type { Reader } from "./reader.ts";
import { type Assign, type Evaluate, type Frame, Scope } from "./scope.ts";

/** Parses items up to the closing bracket. */
function rest(reader: Reader, end: string, first: Expr): Expr[] {
  const items = [first];
  while (reader.take(",") && !reader.is(end)) items.push(reader.grammar.item(reader));
  reader.expect(end);
  return items;
}

export function parenthesised(reader: Reader, line: number): Expr {
  if (reader.take(")")) return { ...createExpr("tuple", line, () => new PyTuple([])), items: [] };
  if (reader.is("yield")) throw unsupported("'yield'", line);
  if (reader.leadsToFor()) return comprehension(reader, "generator", ")");
  const first = reader.grammar.item(reader);
  if (reader.take(")"))
    return first.starred === undefined ? first : reader.fail("can't use a starred expression here");
  const items = rest(reader, ")", first);
  const collect = collecting(items);
  return { ...createExpr("tuple", line, (frame) => new PyTuple(collect(frame))), items };
}

export function bracketed(reader: Reader, line: number): Expr {
  if (reader.take("]")) return { ...createExpr("list", line, () => []), items: [] };
  if (reader.leadsToFor()) return comprehension(reader, "list", "]");
  const items = rest(reader, "]", reader.grammar.item(reader));
  return { ...createExpr("list", line, collecting(items)), items };
}

export function braced(reader: Reader, line: number): Expr {
  if (reader.take("}")) return createExpr("dict", line, () => new PyDict());
  if (reader.leadsToFor()) return comprehension(reader, "set", "}");
  if (reader.take("**")) return dictionary(reader, [[undefined, reader.grammar.operand(reader).read]], line);
  const first = reader.grammar.item(reader);
  if (reader.take(":"))
    return dictionary(reader, [[first.read, reader.grammar.expression(reader).read]], line);
  const collect = collecting(rest(reader, "}", first));
  return createExpr("set", line, (frame) => new PySet(collect(frame)));
}

/** A pair without a key is `**other`. */
function dictionary(reader: Reader, pairs: [Evaluate | undefined, Evaluate][], line: number): Expr {
  while (reader.take(",") && !reader.is("}")) {
    if (reader.take("**")) pairs.push([undefined, reader.grammar.operand(reader).read]);
    else {
      const key = reader.grammar.expression(reader).read;
      reader.expect(":");
      pairs.push([key, reader.grammar.expression(reader).read]);
    }
  }
  reader.expect("}");
  return createExpr("dict", line, (frame) => {
    const dict = new PyDict();
    // Python evaluates all pairs before it stores them.
    let waiting: [Value, Value][] = [];
    const store = () => {
      for (const [key, value] of waiting) dict.set(key, value);
      waiting = [];
    };
    for (const [key, value] of pairs) {
      if (key !== undefined) {
        const now = key(frame);
        waiting.push([now, value(frame)]);
        continue;
      }
      store();
      const other = value(frame);
      if (!(other instanceof PyDict)) throw typeError(`'${typeName(other)}' object is not a mapping`);
      updateDict(dict, [other], undefined, frame.meter);
    }
    store();
    return dict;
  });
}

interface Clause {
  readonly source: Evaluate;
  readonly assign: Assign;
  readonly conditions: readonly Evaluate[];
}

/** Parses up to the closing bracket; a set comprehension may turn out to be a dictionary one. */
export function comprehension(reader: Reader, makes: "list" | "set" | "generator", end: string): Expr {
  const { grammar } = reader;
  const scope = new Scope("comprehension", reader.scope);
  const inside = (parse: (reader: Reader) => Expr) => reader.within(scope, () => parse(reader));
  const first = inside(grammar.item);
  const value = makes === "set" && reader.take(":") ? inside(grammar.expression) : undefined;
  const clauses: Clause[] = [];
  while (reader.take("for")) {
    const assign = assigning(inside(grammar.targets), scope);
    reader.expect("in");
    // The iterable of the first clause is evaluated in the enclosing scope.
    const { read: source } = clauses.length === 0 ? grammar.simple(reader) : inside(grammar.simple);
    const conditions: Evaluate[] = [];
    while (reader.take("if")) conditions.push(inside(grammar.simple).read);
    clauses.push({ source, assign, conditions });
  }
  if (reader.is("async")) throw unsupported("'async'", reader.peek().line);
  if (clauses.length === 0) reader.expect(end === "" ? ")" : end);
  if (end !== "") reader.expect(end);
  const read = first.read;
  return createExpr("comprehension", first.line, (outer) => {
    const frame: Frame = { ...outer, vars: new Map(), outer };
    const turns = each(clauses, 0, frame, clauses[0]?.source(outer) ?? null);
    if (makes === "generator") return new PyIterator(results(turns, frame, read));
    return value === undefined
      ? collected(turns, frame, read, makes === "set")
      : paired(turns, frame, read, value.read);
  });
}

function collected(turns: Iterable<null>, frame: Frame, value: Evaluate, asSet: boolean): Value {
  const items: Value[] = [];
  for (const _ of turns) {
    items.push(value(frame));
    if (items.length > frame.meter.limits.listItems) frame.meter.items(items.length);
  }
  return asSet ? new PySet(items) : items;
}

function paired(turns: Iterable<null>, frame: Frame, key: Evaluate, value: Evaluate): Value {
  const dict = new PyDict();
  for (const _ of turns) {
    const now = key(frame);
    dict.set(now, value(frame));
    frame.meter.items(dict.size);
  }
  return dict;
}

function* results(turns: Iterable<null>, frame: Frame, value: Evaluate): Generator<Value> {
  for (const _ of turns) yield value(frame);
}

/** Yields once per combination of the clauses, with the names bound. */
function* each(clauses: readonly Clause[], at: number, frame: Frame, source: Value): Generator<null> {
  const clause = clauses[at];
  if (clause === undefined) return;
  const iterator = iterate(source, frame.meter);
  for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
    frame.meter.step();
    clause.assign(frame, step.value);
    if (!clause.conditions.every((condition) => truth(condition(frame)))) continue;
    const next = clauses[at + 1];
    if (next === undefined) yield null;
    else yield* each(clauses, at + 1, frame, next.source(frame));
  }
}
