/** What the engine uses of the interpreter, which is loaded when a template has something to evaluate. */
import type { Meter, Value } from "../../python/index.ts";

export interface InterpreterOptions {
  /** Output of `print` and `logging`. */
  readonly log: (text: string) => void;
  readonly now: () => Date;
  /** Additional modules; `undefined`: no module of that name. */
  readonly module?: ((name: string) => ModuleSource | undefined) | undefined;
}

/** A module as Python source or as values. */
export type ModuleSource =
  | {
      readonly text: string;
      /** Prefix of the module's names in the source, if it is shared by several modules. */
      readonly prefix?: string;
    }
  | { readonly names: ReadonlyMap<string, Value> };

export interface Program {
  /**
   * Runs the code from the top; no state is kept between runs.
   * @param extraNames names available besides the built-in ones, such as `_ttp_`.
   * @returns the names it bound, in order.
   */
  run(extraNames: ReadonlyMap<string, Value>, meter: Meter): Map<string, Value>;
}

export interface Interpreter {
  /** @throws TemplateError with the line of the code. */
  compile(source: string): Program;
  /** Evaluates an expression; `name` resolves all names, before the built-in ones. */
  evaluate(source: string, name: (name: string) => Value | undefined, meter: Meter): Value;
}
