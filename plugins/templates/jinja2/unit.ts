/** What the parts of the compiler share about the template and the place they are at. */
import type { Shape, Site } from "../python/shape.ts";
import type { Value } from "../python/values.ts";
import type { FilterTable, TestTable } from "./filter.ts";
import type { Expr, Statement } from "./nodes.ts";
import type { Options } from "./options.ts";
import type { Action, BlockBody, Expression, Frame } from "./runtime.ts";
import { type FunctionScope, Scope, type Slot } from "./scope.ts";
import type { Source } from "./source.ts";

/** What all templates of a request are written in. */
export interface Language {
  readonly options: Options;
  readonly filters: FilterTable;
  readonly tests: TestTable;
  readonly maxDepth: number;
}

/** Whether output is escaped: known while compiling, or only while rendering. */
export interface Escaping {
  readonly on: boolean;
  readonly dynamic: boolean;
}

export interface Unit extends Language {
  readonly source: Source;
  readonly blocks: Map<string, BlockBody>;
  /** Where the compiler is; what is compiled keeps the one that it found. */
  escaping: Escaping;
  /** An `extends` stands anywhere in the template. */
  readonly hasExtends: boolean;
  /** An `extends` outside any condition was met: the rest prints nothing. */
  knownExtends: boolean;
  extendsSoFar: number;
  expression(node: Expr, place: Place): Expression;
  body(nodes: readonly Statement[], place: Place): Action;
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

/** A new scope in a function. */
export function placeIn(owner: FunctionScope, around?: Scope, known: Partial<Place> = {}): Place {
  const scope = new Scope(owner, around);
  const nowhere = { toplevel: false, rootlevel: false, soft: false, checksOutput: false, inLoop: false };
  return { scope, owner, ...nowhere, ...known };
}

/** A scope inside this one, in the same function. */
export function innerPlace({ owner, scope, checksOutput, inLoop }: Place): Place {
  return placeIn(owner, scope, { checksOutput, inLoop });
}

export function softPlace(place: Place): Place {
  return { ...place, rootlevel: false, soft: true };
}

/** The variable in a slot, seen from a function inside or equal to its owner. */
export function slotReader(slot: Slot, from: FunctionScope): (frame: Frame) => Value | undefined {
  const { index } = slot;
  let hops = 0;
  for (let at: FunctionScope | undefined = from; at !== undefined && at !== slot.owner; at = at.outer) hops++;
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
  const lookups: Lookup[] = [];
  const steps: ((frame: Frame) => void)[] = [];
  for (const [{ index }, load] of scope.loads) {
    if (load.kind === "resolve") lookups.push(new Lookup(index, load.name));
    else if (load.kind === "alias") {
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
  if (lookups.length > 0) {
    steps.unshift((frame) => {
      for (const lookup of lookups) frame.slots[lookup.slot] = frame.context.resolve(lookup.name, lookup);
    });
  }
  if (steps.length < 2) return steps[0];
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

/** Runs in a scope: its variables are filled before and forgotten behind. */
export function scoped({ scope }: Place, run: Action): Action {
  const enter = scopeEntry(scope);
  const exit = scopeExit(scope);
  return (frame, out) => {
    enter?.(frame);
    const ending = run(frame, out);
    exit(frame);
    return ending;
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
