/** Compiler state: what the compilation functions share about the template and the current position. */
import type { Shape, Site, Value } from "../../python/index.ts";
import type { FilterTable, TestTable } from "../filters/kinds.ts";
import type { Options } from "../options.ts";
import type { Action, BlockBody, Expression, Frame } from "../run/runtime.ts";
import type { Expr, Statement } from "../syntax/nodes.ts";
import type { Source } from "../syntax/source.ts";
import { type FunctionScope, Scope, type Slot } from "./scope.ts";

/** Options, filters and tests of all templates of a request. */
export interface Language {
  readonly options: Options;
  readonly filters: FilterTable;
  readonly tests: TestTable;
  readonly maxDepth: number;
}

/** Whether output is escaped: known at compile time, or only at run time. */
export interface Escaping {
  readonly on: boolean;
  readonly dynamic: boolean;
}

export interface Unit extends Language {
  readonly source: Source;
  readonly blocks: Map<string, BlockBody>;
  /** The current escaping; compiled code keeps the value it was compiled with. */
  escaping: Escaping;
  /** Whether the template contains an `extends` anywhere. */
  readonly hasExtends: boolean;
  /** An unconditional `extends` was compiled: the rest prints nothing. */
  knownExtends: boolean;
  extendsSoFar: number;
  expression(node: Expr, place: Place): Expression;
  body(nodes: readonly Statement[], place: Place): Action;
}

/** The compiler's position in the template. */
export interface Place {
  readonly scope: Scope;
  readonly owner: FunctionScope;
  /** At the top level of the template, also inside `if`: assignments are exported. */
  readonly toplevel: boolean;
  readonly rootlevel: boolean;
  /** Inside a condition: unknown filters are errors only at run time. */
  readonly soft: boolean;
  readonly checksOutput: boolean;
  readonly inLoop: boolean;
}

/** A new scope in a function. */
export function placeIn(owner: FunctionScope, around?: Scope, settings: Partial<Place> = {}): Place {
  const scope = new Scope(owner, around);
  const nowhere = { toplevel: false, rootlevel: false, soft: false, checksOutput: false, inLoop: false };
  return { scope, owner, ...nowhere, ...settings };
}

/** A nested scope in the same function. */
export function innerPlace({ owner, scope, checksOutput, inLoop }: Place): Place {
  return placeIn(owner, scope, { checksOutput, inLoop });
}

export function softPlace(place: Place): Place {
  return { ...place, rootlevel: false, soft: true };
}

/** Reads a slot from its owner or a function nested in it. */
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

/** A context name that initialises a slot, with its inline cache. */
class Lookup implements Site {
  shape: Shape | undefined;
  index = -1;
  constructor(
    readonly slot: number,
    readonly name: string,
  ) {}
}

/** Initialises the variables of a scope; `undefined` if there are none. */
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

/** Clears the variables of a scope at its end: macros defined in it no longer see them. */
export function scopeExit(scope: Scope): (frame: Frame) => void {
  const indexes = [...scope.loads.keys()].map(({ index }) => index);
  return (frame) => {
    for (const index of indexes) frame.slots[index] = undefined;
  };
}

/** Runs an action in a scope: initialises its variables before and clears them afterwards. */
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

/** The variables set around a position, by name, for includes and scoped blocks. */
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
