/** What the parts of the compiler share about the template and the place they are at. */

import type { Shape, Site } from "../python/shape.ts";
import type { Value } from "../python/values.ts";
import type { FilterTable, TestTable } from "./filter.ts";
import type { Expr, Node } from "./nodes.ts";
import type { Options } from "./options.ts";
import type { Action, BlockBody, Expression, Frame } from "./runtime.ts";
import { createScope, type FunctionScope, type Scope, type Slot } from "./scope.ts";
import type { Source } from "./source.ts";

/** Whether output is escaped: known while compiling, or only while rendering. */
export interface Escaping {
  on: boolean;
  dynamic: boolean;
}

export interface Unit {
  readonly source: Source;
  readonly options: Options;
  readonly filters: FilterTable;
  readonly tests: TestTable;
  readonly blocks: Map<string, BlockBody>;
  readonly escaping: Escaping;
  /** An `extends` stands anywhere in the template. */
  readonly hasExtends: boolean;
  /** An `extends` outside any condition was met: the rest prints nothing. */
  knownExtends: boolean;
  extendsSoFar: number;
}

/** Where in the template the compiler is. */
export interface Place {
  readonly scope: Scope;
  readonly owner: FunctionScope;
  /** Directly in the template, also inside `if`: what is set here is exported. */
  readonly toplevel: boolean;
  readonly rootlevel: boolean;
  /** Inside a condition: unknown filters are an error only when they are reached. */
  readonly soft: boolean;
  readonly checksOutput: boolean;
  readonly inLoop: boolean;
}

export type CompileExpression = (node: Expr, place: Place) => Expression;
export type CompileBody = (nodes: readonly Node[], place: Place) => Action;

/** A scope inside this one, in the same function. */
export function innerPlace(place: Place): Place {
  return {
    ...place,
    scope: createScope(place.owner, place.scope),
    toplevel: false,
    rootlevel: false,
    soft: false,
  };
}

export function softPlace(place: Place): Place {
  return { ...place, rootlevel: false, soft: true };
}

/** The variable in a slot, seen from a function inside or equal to its owner. */
export function slotReader(slot: Slot, from: FunctionScope): (frame: Frame) => Value | undefined {
  const { index } = slot;
  let hops = 0;
  for (
    let owner: FunctionScope | undefined = from;
    owner !== undefined && owner !== slot.owner;
    owner = owner.outer
  ) {
    hops++;
  }
  if (hops === 0) return (frame) => frame.slots[index];
  if (hops === 1) return (frame) => frame.outer.slots[index];
  return (frame) => {
    let at = frame;
    for (let i = 0; i < hops; i++) at = at.outer;
    return at.slots[index];
  };
}

/** A name of the context that fills a slot, and where it was found last. */
class Lookup implements Site {
  shape: Shape | undefined;
  index = -1;
  constructor(
    readonly slot: number,
    readonly name: string,
  ) {}
}

/** Fills the variables of a scope as it begins; `undefined` when there are none to fill. */
export function scopeEntry(scope: Scope): ((frame: Frame) => void) | undefined {
  const steps: ((frame: Frame) => void)[] = [];
  const names = [...scope.loads].flatMap(([{ index }, load]) =>
    load.kind === "resolve" ? [new Lookup(index, load.name)] : [],
  );
  if (names.length > 0) {
    steps.push((frame) => {
      for (const lookup of names) frame.slots[lookup.slot] = frame.context.resolve(lookup.name, lookup);
    });
  }
  for (const [slot, load] of scope.loads) {
    const { index } = slot;
    if (load.kind === "alias") {
      const read = slotReader(load.slot, scope.owner);
      steps.push((frame) => {
        frame.slots[index] = read(frame);
      });
    } else if (load.kind === "undefined") {
      steps.push((frame) => {
        frame.slots[index] = undefined;
      });
    }
  }
  const [first, second] = steps;
  if (first === undefined) return undefined;
  if (second === undefined) return first;
  return (frame) => {
    for (const step of steps) step(frame);
  };
}

/** Forgets the variables of a scope that has ended: macros made in it no longer see them. */
export function scopeExit(scope: Scope): (frame: Frame) => void {
  const indexes = [...scope.loads.keys()].map(({ index }) => index);
  return (frame) => {
    for (const index of indexes) frame.slots[index] = undefined;
  };
}

/** The set variables around a place by name, for includes and scoped blocks. */
export function localsReader(place: Place): (frame: Frame) => ReadonlyMap<string, Value> {
  const readers = [...place.scope.stored()].map(
    ([name, slot]) => [name, slotReader(slot, place.owner)] as const,
  );
  return (frame) => {
    const locals = new Map<string, Value>();
    for (const [name, read] of readers) {
      const value = read(frame);
      if (value !== undefined) locals.set(name, value);
    }
    return locals;
  };
}
