/** Compiles `for`. */

import {
  itemsOf,
  iterate,
  notIterable,
  PyDict,
  PyError,
  PyObject,
  PyRange,
  PyTuple,
  PyView,
  truth,
  type Value,
} from "../../python/index.ts";
import { arrayItems, type Items, iteratorItems, LoopContext } from "../run/loop.ts";
import { type Action, BREAK, captured, Frame, Out } from "../run/runtime.ts";
import type { Expr, NodeOf, Target } from "../syntax/nodes.ts";
import { descendants, undeclared } from "../syntax/walk.ts";
import { FunctionScope } from "./scope.ts";
import { type Assign, compileTarget, isTarget } from "./target.ts";
import { type Place, placeIn, scoped, scopeEntry, scopeExit, slotReader, type Unit } from "./unit.ts";

export function compileFor(node: NodeOf<"for">, place: Place, unit: Unit): Action {
  const nodes = [...descendants(node)];
  const clash = nodes.find((node) => node.kind === "name" && node.mode === "store" && node.name === "loop");
  if (clash !== undefined)
    throw unit.source.error("Can't assign to special loop variable in for-loop target", clash.at);
  const iterable = unit.expression(node.iter, place);
  const owner = node.recursive ? new FunctionScope(place.owner) : place.owner;
  const { checksOutput } = place;
  const inner = (inLoop = true): Place => placeIn(owner, place.scope, { checksOutput, inLoop });
  const hasLoop =
    node.recursive ||
    undeclared(node.body, ["loop"]).size > 0 ||
    nodes.some((node) => node.kind === "block" && node.scoped);
  const loopPlace = inner();
  const { scope } = loopPlace;
  const loopSlot = hasLoop ? scope.param("loop") : undefined;
  const target = asParameter(node.target);
  scope.analyse([target, ...node.body]);
  const assign = compileTarget(target, loopPlace);
  const filter = node.test === undefined ? undefined : compileFilter(node.test, target, inner(), unit);
  const turn = unit.body(node.body, loopPlace);
  const otherwise = compileElse(node, inner(place.inLoop && !node.recursive), unit);
  const parts: Parts = {
    loopIndex: loopSlot?.index,
    assign,
    filter,
    turn,
    enter: scopeEntry(scope),
    exit: scopeExit(scope),
    otherwise,
  };
  if (!node.recursive) return (frame, out) => runLoop(parts, frame, out, iterable(frame), 0);

  const { escaping } = unit;
  const recurse = (frame: Frame, items: Value, depth: number): string => {
    const turns = new Frame(owner.slots, frame, frame.context, frame.root);
    const out = new Out(frame.context.meter.limits.stringChars);
    const nested: Recurse = (more, at) => captured(recurse(frame, more, at), escaping, frame);
    runLoop(parts, turns, out, items, depth, nested);
    return out.text;
  };
  return (frame, out) => {
    out.write(recurse(frame, iterable(frame), 0));
  };
}

type Recurse = (items: Value, depth: number) => Value;

/** State of a compiled loop. */
interface Parts {
  /** Slot of the variable `loop`, if it is used. */
  readonly loopIndex: number | undefined;
  readonly assign: Assign;
  readonly filter: Filter | undefined;
  readonly turn: Action;
  readonly enter: ((frame: Frame) => void) | undefined;
  readonly exit: (frame: Frame) => void;
  readonly otherwise: Action | undefined;
}

function runLoop(
  parts: Parts,
  frame: Frame,
  out: Out,
  items: Value,
  depth: number,
  recurse?: Recurse,
): undefined {
  const { loopIndex, filter } = parts;
  const iterated = itemsFor(items, frame);
  const source = filter === undefined ? iterated : filtered(iterated, filter, frame);
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
}

/** Runs the iterations; returns whether one completed, otherwise `else` runs. */
function runTurns(parts: Parts, frame: Frame, out: Out, next: () => Value | undefined): boolean {
  const { assign, enter, turn } = parts;
  const { meter } = frame.context;
  let completed = false;
  for (let item = next(); item !== undefined; item = next()) {
    meter.step();
    assign(frame, item);
    enter?.(frame);
    const ending = turn(frame, out);
    if (ending === undefined) completed = true;
    else if (ending === BREAK) break;
  }
  parts.exit(frame);
  return completed;
}

/** Makes the target's names local to the loop. */
function asParameter(target: Target): Target {
  if (target.kind === "name") return { ...target, mode: "param" };
  if (target.kind === "nsref") return target;
  return { ...target, items: target.items.filter(isTarget).map(asParameter) };
}

type Filter = (frame: Frame, item: Value) => Value | undefined;

/** `for ... if test`: returns the item, rebuilt from the target, or undefined if the test fails. */
function compileFilter(test: Expr, target: Target, place: Place, unit: Unit): Filter {
  place.scope.analyse([target, test]);
  const assign = compileTarget(target, place);
  const enter = scopeEntry(place.scope);
  const holds = unit.expression(test, place);
  const rebuilt = rebuild(target, place);
  return (frame, item) => {
    enter?.(frame);
    assign(frame, item);
    return truth(holds(frame)) ? rebuilt(frame) : undefined;
  };
}

function rebuild(target: Target, place: Place): (frame: Frame) => Value {
  if (target.kind === "tuple") {
    const parts = target.items.filter(isTarget).map((item) => rebuild(item, place));
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
        const selected = filter(frame, item);
        if (selected !== undefined) return selected;
      }
      return undefined;
    },
  };
}

function itemsFor(value: Value, frame: Frame): Items {
  const { meter } = frame.context;
  if (Array.isArray(value)) return arrayItems(value);
  if (value instanceof PyRange) {
    const { size } = value;
    meter.items(size);
    let at = 0;
    return { length: size, next: () => (at < size ? value.at(at++) : undefined) };
  }
  if (typeof value === "string") return arrayItems(itemsOf(value, meter));
  if (!(value instanceof PyObject)) throw notIterable(value);
  if (value instanceof PyDict || value instanceof PyView) return unchanging(value, itemsOf(value, meter));
  if (value.length !== undefined) return arrayItems(itemsOf(value, meter));
  return iteratorItems(iterate(value, meter));
}

/** A dictionary must not change size during iteration. */
function unchanging(dict: PyDict | PyView, items: readonly Value[]): Items {
  const { length } = items;
  let at = 0;
  return {
    length,
    next() {
      if (dict.length() !== length)
        throw new PyError("RuntimeError", "dictionary changed size during iteration");
      return at < length ? items[at++] : undefined;
    },
  };
}

function compileElse({ otherwise }: NodeOf<"for">, place: Place, unit: Unit): Action | undefined {
  if (otherwise.length === 0) return undefined;
  place.scope.analyse(otherwise);
  return scoped(place, unit.body(otherwise, place));
}
