/** Where a running function keeps its names, and where each name of a text is looked up: as soon as Python would, and no sooner. */
import { PyError } from "../../python/errors.ts";
import type { Meter } from "../../python/limits.ts";
import type { Value } from "../../python/values.ts";

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

export type Evaluate = (frame: Frame) => Value;
export type Assign = (frame: Frame, value: Value) => void;

/** The names of a module, a function or a comprehension, filled while its text is read. */
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
  /** `name := value` binds in the function around, also from inside a comprehension. */
  bindOutside(name: string): void {
    if (this.kind === "comprehension") this.outer?.bindOutside(name);
    else this.bind(name);
  }
  /** How many functions further out the name is bound; `undefined`: in the module. */
  hopsTo(name: string, hops = 0): number | undefined {
    if (this.kind === "module" || this.globals.has(name)) return undefined;
    if (this.bound.has(name) && !this.nonlocals.has(name)) return hops;
    return this.outer?.hopsTo(name, hops + 1);
  }
}

/** A name where it stands in the text. It is resolved when it is first used: what a function binds further down is its own, too. */
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
