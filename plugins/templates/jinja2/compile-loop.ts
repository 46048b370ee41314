/** Compiles `for`. */
import { itemsOf, iterate, notIterable, PyRange } from "../python/iterate.ts";
import type { Meter } from "../python/limits.ts";
import { PyObject, PyTuple, truth, type Value } from "../python/values.ts";
import { captured } from "./compile-expression.ts";
import { type Assign, compileTarget } from "./compile-target.ts";
import { arrayItems, type Items, iteratorItems, LoopContext } from "./loop.ts";
import type { ForNode, Target } from "./nodes.ts";
import { type Action, BREAK, type Expression, Frame, NORMAL, Out } from "./runtime.ts";
import { createFunctionScope, createScope, type FunctionScope } from "./scope.ts";
import {
  type CompileBody,
  type CompileExpression,
  type Escaping,
  type Place,
  scopeEntry,
  scopeExit,
  slotReader,
  type Unit,
} from "./unit.ts";
import { descendants, undeclared } from "./walk.ts";

export function compileFor(
  unit: Unit,
  node: ForNode,
  place: Place,
  expression: CompileExpression,
  body: CompileBody,
): Action {
  for (const one of descendants(node)) {
    if (one.kind === "name" && one.mode === "store" && one.name === "loop") {
      throw unit.source.error("Can't assign to special loop variable in for-loop target", one.at);
    }
  }
  const given = expression(node.iter, place);
  const { run, owner } = compileTurns(node, place, expression, body);
  return node.recursive ? recursive(unit.escaping, given, run, owner) : once(given, run);
}

function once(given: Expression, run: Turns["run"]): Action {
  return (frame, out) => run(frame, out, given(frame), 0);
}

function recursive(escaping: Escaping, given: Expression, run: Turns["run"], owner: FunctionScope): Action {
  const recurse = (frame: Frame, items: Value, depth: number): string => {
    const inner = new Frame(owner.slots, frame, frame.context, frame.root);
    const out = new Out(frame.context.meter.limits.stringChars);
    run(inner, out, items, depth, (more, at) => captured(recurse(frame, more, at), escaping, frame));
    return out.text;
  };
  return (frame, out) => {
    out.write(recurse(frame, given(frame), 0));
    return NORMAL;
  };
}

type Recurse = (items: Value, depth: number) => Value;
interface Turns {
  run(frame: Frame, out: Out, items: Value, depth: number, recurse?: Recurse): 0;
  /** The function whose frame the turns run in. */
  readonly owner: FunctionScope;
}

function compileTurns(node: ForNode, place: Place, expression: CompileExpression, body: CompileBody): Turns {
  const owner = node.recursive ? createFunctionScope(place.owner) : place.owner;
  const inner = (): Place => ({
    ...place,
    scope: createScope(owner, place.scope),
    owner,
    toplevel: false,
    rootlevel: false,
    soft: false,
    inLoop: true,
  });

  const extended =
    node.recursive ||
    undeclared(node.body, ["loop"]).size > 0 ||
    [...descendants(node)].some((one) => one.kind === "block" && one.scoped);
  const loopPlace = inner();
  const loopSlot = extended ? loopPlace.scope.param("loop") : undefined;
  const target = asParameter(node.target);
  loopPlace.scope.analyse([target, ...node.body]);
  const assign = compileTarget(target, loopPlace);
  const filter = node.test === undefined ? undefined : compileFilter(node, target, inner(), expression);
  const parts: Parts = {
    loopIndex: loopSlot?.index,
    assign,
    filter,
    turn: body(node.body, loopPlace),
    enter: scopeEntry(loopPlace.scope),
    exit: scopeExit(loopPlace.scope),
    otherwise: compileElse(node, { ...inner(), inLoop: place.inLoop && !node.recursive }, body),
  };
  return { owner, run: turnsOf(parts) };
}

/** What a compiled loop keeps. */
interface Parts {
  /** Where the variable `loop` is, if the loop has one. */
  readonly loopIndex: number | undefined;
  readonly assign: Assign;
  readonly filter: Filter | undefined;
  readonly turn: Action;
  readonly enter: ((frame: Frame) => void) | undefined;
  readonly exit: (frame: Frame) => void;
  readonly otherwise: Action | undefined;
}

function turnsOf(parts: Parts): Turns["run"] {
  return (frame, out, items, depth, recurse) => runLoop(parts, frame, out, items, depth, recurse);
}

function runLoop(parts: Parts, frame: Frame, out: Out, items: Value, depth: number, recurse?: Recurse): 0 {
  const { loopIndex, filter } = parts;
  const all = itemsFor(items, frame);
  const source = filter === undefined ? all : filtered(all, filter, frame);
  let completed: boolean;
  if (loopIndex === undefined) completed = runTurns(parts, frame, out, source.next);
  else {
    const { context } = frame;
    const loop = new LoopContext(source, depth, recurse, (hint) => context.undefined(hint));
    completed = runTurns(parts, frame, out, () => {
      const item = loop.next();
      frame.slots[loopIndex] = loop;
      return item;
    });
  }
  if (!completed) parts.otherwise?.(frame, out);
  return NORMAL;
}

/** Whether a turn was completed: if not, `else` is for it. */
function runTurns(parts: Parts, frame: Frame, out: Out, next: () => Value | undefined): boolean {
  const { assign, enter, turn } = parts;
  const { meter } = frame.context;
  let completed = false;
  for (let item = next(); item !== undefined; item = next()) {
    meter.step();
    assign(frame, item);
    enter?.(frame);
    const ending = turn(frame, out);
    if (ending === NORMAL) completed = true;
    else if (ending === BREAK) break;
  }
  parts.exit(frame);
  return completed;
}

/** The target's names belong to the loop alone. */
function asParameter(target: Target): Target {
  if (target.kind === "name") return { ...target, mode: "param" };
  return target.kind === "tuple"
    ? { ...target, items: target.items.map((item) => asParameter(item as Target)) }
    : target;
}

type Filter = (frame: Frame, item: Value) => Value | undefined;

/** `for ... if test`: gives the item, rebuilt from the target as the loop will see it, or undefined. */
function compileFilter(node: ForNode, target: Target, place: Place, expression: CompileExpression): Filter {
  const nodes = node.test === undefined ? [target] : [target, node.test];
  place.scope.analyse(nodes);
  const assign: Assign = compileTarget(target, place);
  const enter = scopeEntry(place.scope);
  const holds = node.test === undefined ? () => true : expression(node.test, place);
  const rebuilt = rebuild(target, place);
  return (frame, item) => {
    enter?.(frame);
    assign(frame, item);
    return truth(holds(frame)) ? rebuilt(frame) : undefined;
  };
}

function rebuild(target: Target, place: Place): (frame: Frame) => Value {
  if (target.kind === "tuple") {
    const parts = target.items.map((item) => rebuild(item as Target, place));
    return (frame) => new PyTuple(parts.map((part) => part(frame)));
  }
  const slot = place.scope.find(target.name);
  const read = slot === undefined ? () => null : slotReader(slot, place.owner);
  return (frame) => read(frame) ?? null;
}

function filtered(source: Items, filter: Filter, frame: Frame): Items {
  return {
    length: undefined,
    next() {
      for (let item = source.next(); item !== undefined; item = source.next()) {
        frame.context.meter.step();
        const kept = filter(frame, item);
        if (kept !== undefined) return kept;
      }
      return undefined;
    },
  };
}

function itemsFor(value: Value, frame: Frame): Items {
  const { meter } = frame.context;
  if (Array.isArray(value)) return arrayItems(value);
  if (value instanceof PyRange) return rangeItems(value, meter);
  if (typeof value === "string") return arrayItems(itemsOf(value, meter));
  if (!(value instanceof PyObject)) throw notIterable(value);
  if (value.length !== undefined) return arrayItems(itemsOf(value, meter));
  return iteratorItems(iterate(value, meter));
}

function rangeItems(range: PyRange, meter: Meter): Items {
  meter.items(range.size);
  let at = 0;
  return { length: range.size, next: () => (at < range.size ? range.at(at++) : undefined) };
}

function compileElse(node: ForNode, place: Place, body: CompileBody): Action | undefined {
  if (node.otherwise.length === 0) return undefined;
  place.scope.analyse(node.otherwise);
  const run = body(node.otherwise, place);
  const enter = scopeEntry(place.scope);
  const exit = scopeExit(place.scope);
  return (frame, out) => {
    enter?.(frame);
    const ending = run(frame, out);
    exit(frame);
    return ending;
  };
}
