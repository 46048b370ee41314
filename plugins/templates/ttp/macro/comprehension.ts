/** List, set and dict comprehensions, and generator expressions, which run as they are asked. */
import { PyDict, PySet } from "../../python/dict.ts";
import { iterate, PyIterator } from "../../python/iterate.ts";
import { truth, type Value } from "../../python/values.ts";
import type { Expr } from "./ast.ts";
import type { Frame } from "./frame.ts";
import type { Evaluate } from "./functions.ts";
import { comprehensionScope, type Scope } from "./scope.ts";
import { compileTarget } from "./targets.ts";

type Comprehension = Extract<Expr, { kind: "comprehension" }>;
type Compile = (expr: Expr, scope: Scope) => Evaluate;

interface Turn {
  readonly source: Evaluate;
  readonly assign: (frame: Frame, value: Value) => void;
  readonly conditions: readonly Evaluate[];
}

export function compileComprehension(expr: Comprehension, scope: Scope, compile: Compile): Evaluate {
  const inner = comprehensionScope(
    expr.clauses.map((one) => one.target),
    scope,
  );
  const [first] = expr.clauses;
  if (first === undefined) throw new Error("a comprehension without a clause");
  const source = compile(first.source, scope);
  const turns = expr.clauses.map(
    (one): Turn => ({
      source: compile(one.source, inner),
      assign: compileTarget(one.target, inner, compile),
      conditions: one.conditions.map((condition) => compile(condition, inner)),
    }),
  );
  const key = expr.key === undefined ? undefined : compile(expr.key, inner);
  const value = compile(expr.value, inner);

  return (outer) => {
    const frame: Frame = { ...outer, vars: new Map(), outer };
    const values = each(turns, 0, frame, source(outer));
    if (expr.makes === "generator") return new PyIterator(results(values, frame, value));
    if (expr.makes === "dict") {
      const dict = new PyDict();
      for (const _ of values) {
        if (key !== undefined) dict.set(key(frame), value(frame));
        frame.meter.items(dict.size);
      }
      return dict;
    }
    const items: Value[] = [];
    for (const _ of values) {
      items.push(value(frame));
      if (items.length > frame.meter.limits.listItems) frame.meter.items(items.length);
    }
    return expr.makes === "set" ? new PySet(items) : items;
  };
}

function* results(turns: Iterable<null>, frame: Frame, value: Evaluate): Generator<Value> {
  for (const _ of turns) yield value(frame);
}

/** Gives once for each combination of the clauses, with the names bound. */
function* each(turns: readonly Turn[], at: number, frame: Frame, source: Value): Generator<null> {
  const turn = turns[at];
  if (turn === undefined) return;
  const iterator = iterate(source, frame.meter);
  for (let one = iterator.next(); one.done !== true; one = iterator.next()) {
    frame.meter.step();
    turn.assign(frame, one.value);
    if (!turn.conditions.every((condition) => truth(condition(frame)))) continue;
    const next = turns[at + 1];
    if (next === undefined) yield null;
    else yield* each(turns, at + 1, frame, next.source(frame));
  }
}
