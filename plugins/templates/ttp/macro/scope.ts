/** Frames of running functions, and name resolution at the same moment as in Python. */

import { type Meter, PyError, type Value } from "../../python/index.ts";
/** State that all functions of a macro share. */
export interface World {
  /** Whether errors get a line number; not in modules, where the calling line is more helpful. */
  readonly tellsLine: boolean;
  readonly globals: Map<string, Value>;
  /** Names not bound by the code: built-in functions, `_ttp_`. */
  builtin(name: string): Value | undefined;
  /** @throws PyError ModuleNotFoundError */
  importModule(name: string, meter: Meter): Value;
}

export interface Frame {
  readonly vars: Map<string, Value>;
  readonly outer: Frame | undefined;
  readonly world: World;
  readonly meter: Meter;
  /** The current line. */
  line: number;
  /** The return value. */
  result: Value;
  /** The exception that a bare `raise` re-raises. */
  handling: unknown;
}

export type Evaluate = (frame: Frame) => Value;
export type Assign = (frame: Frame, value: Value) => void;

/** The scope of a module, function or comprehension, filled during parsing. */
export class Scope {
  readonly globals = new Set<string>();
  readonly nonlocals = new Set<string>();
  private readonly bound = new Set<string>();
  constructor(
    readonly kind: "module" | "function" | "comprehension",
    private readonly outer?: Scope,
  ) {}

  bind(name: string): void {
    this.bound.add(name);
  }
  /** `name := value` binds in the enclosing function, even from inside a comprehension. */
  bindOutside(name: string): void {
    if (this.kind === "comprehension") this.outer?.bindOutside(name);
    else this.bind(name);
  }
  /** Number of scopes outwards to the binding; `undefined`: module level. */
  hopsTo(name: string, hops = 0): number | undefined {
    if (this.kind === "module" || this.globals.has(name)) return undefined;
    if (this.bound.has(name) && !this.nonlocals.has(name)) return hops;
    return this.outer?.hopsTo(name, hops + 1);
  }
}

/** A reference to a name. It is resolved on first use, because a function's later bindings make a name local. */
export class Place {
  private hops: number | undefined;
  private resolved = false;
  constructor(
    private readonly name: string,
    private readonly scope: Scope,
  ) {}

  read(frame: Frame): Value {
    let value = this.vars(frame).get(this.name);
    if (value === undefined && this.hops === undefined) value = frame.world.builtin(this.name);
    if (value === undefined) throw this.unbound();
    return value;
  }
  write(frame: Frame, value: Value): void {
    this.vars(frame).set(this.name, value);
  }
  remove(frame: Frame): void {
    if (!this.vars(frame).delete(this.name)) throw this.unbound();
  }

  /** Without an error if it is bound no more. */
  forget(frame: Frame): void {
    this.vars(frame).delete(this.name);
  }

  private vars(frame: Frame): Map<string, Value> {
    if (!this.resolved) {
      this.hops = this.scope.hopsTo(this.name);
      this.resolved = true;
    }
    const { hops } = this;
    if (hops === undefined) return frame.world.globals;
    let at = frame;
    for (let i = 0; i < hops; i++) at = at.outer ?? at;
    return at.vars;
  }
  private unbound(): PyError {
    const { hops, name } = this;
    const unbound = "where it is not associated with a value";
    if (hops === undefined) return new PyError("NameError", `name '${name}' is not defined`);
    return hops === 0
      ? new PyError("UnboundLocalError", `cannot access local variable '${name}' ${unbound}`)
      : new PyError("NameError", `cannot access free variable '${name}' ${unbound} in enclosing scope`);
  }
}
