/** Where a running function keeps its names, and how names are found. */
import { PyError } from "../../python/errors.ts";
import type { Meter } from "../../python/limits.ts";
import type { Value } from "../../python/values.ts";
import type { Scope } from "./scope.ts";

export interface Frame {
  readonly vars: Map<string, Value>;
  readonly outer: Frame | undefined;
  readonly world: World;
  readonly meter: Meter;
  /** Line that runs now. */
  line: number;
  /** What `return` gave. */
  result: Value;
  /** The exception that a bare `raise` raises again. */
  handling: unknown;
}

/** What all functions of one macro text share. */
export interface World {
  /** Errors get the line of the text; not in modules, where the line that called says more. */
  readonly tellsLine: boolean;
  readonly globals: Map<string, Value>;
  /** Names that no text defines: built-in functions, `_ttp_`. */
  builtin(name: string): Value | undefined;
  /** @throws PyError ModuleNotFoundError */
  importModule(name: string, meter: Meter): Value;
}

export interface Place {
  read(frame: Frame): Value;
  write(frame: Frame, value: Value): void;
  remove(frame: Frame): void;
}

export function placeOf(name: string, scope: Scope, hops = 0): Place {
  if (scope.kind === "module" || scope.globals.has(name)) return globalPlace(name);
  if (scope.locals.has(name)) return localPlace(name, hops);
  return scope.outer === undefined ? globalPlace(name) : placeOf(name, scope.outer, hops + 1);
}

function localPlace(name: string, hops: number): Place {
  const at = (frame: Frame): Frame => {
    let found = frame;
    for (let i = 0; i < hops; i++) found = found.outer ?? found;
    return found;
  };
  const unbound = () =>
    hops === 0
      ? new PyError(
          "UnboundLocalError",
          `cannot access local variable '${name}' where it is not associated with a value`,
        )
      : new PyError(
          "NameError",
          `cannot access free variable '${name}' where it is not associated with a value in enclosing scope`,
        );
  return {
    read(frame) {
      const value = at(frame).vars.get(name);
      if (value === undefined) throw unbound();
      return value;
    },
    write: (frame, value) => {
      at(frame).vars.set(name, value);
    },
    remove(frame) {
      if (!at(frame).vars.delete(name)) throw unbound();
    },
  };
}

function globalPlace(name: string): Place {
  const unknown = () => new PyError("NameError", `name '${name}' is not defined`);
  return {
    read(frame) {
      const value = frame.world.globals.get(name);
      if (value !== undefined) return value;
      const builtin = frame.world.builtin(name);
      if (builtin === undefined) throw unknown();
      return builtin;
    },
    write: (frame, value) => {
      frame.world.globals.set(name, value);
    },
    remove(frame) {
      if (!frame.world.globals.delete(name)) throw unknown();
    },
  };
}
