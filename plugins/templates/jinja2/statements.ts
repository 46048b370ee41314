/** The commonest statements as actions: made here, so that they keep nothing of the compiler (as expressions). */
import { placed } from "../python/errors.ts";
import { truth, type Value } from "../python/values.ts";
import type { Assign } from "./compile-target.ts";
import { type Action, type Expression, type Frame, NORMAL } from "./runtime.ts";
import type { Source } from "./source.ts";

/** Statements one after the other, each with its place in the template added to the errors that pass. */
export function sequence(actions: readonly Action[], offsets: readonly number[], source: Source): Action {
  return (frame, out) => {
    let i = 0;
    try {
      for (; i < actions.length; i++) {
        const ending = (actions[i] as Action)(frame, out);
        if (ending !== NORMAL) return ending;
      }
    } catch (error) {
      throw placed(error, source.place(offsets[i] ?? 0));
    }
    return NORMAL;
  };
}

export interface Branch {
  readonly test: Expression;
  readonly run: Action;
}

export function conditional(branches: readonly Branch[], otherwise: Action): Action {
  const [first] = branches;
  if (branches.length === 1 && first !== undefined) {
    const { test, run } = first;
    return (frame, out) => (truth(test(frame)) ? run(frame, out) : otherwise(frame, out));
  }
  return (frame, out) => {
    for (const { test, run } of branches) if (truth(test(frame))) return run(frame, out);
    return otherwise(frame, out);
  };
}

export function assignment(assign: Assign, value: Expression): Action {
  return (frame) => {
    assign(frame, value(frame));
    return NORMAL;
  };
}

export interface Published {
  readonly name: string;
  readonly index: number;
}

/** At the top of a template: what is set is also there for those who import it. */
export function publishing(assign: Assign, names: readonly Published[]): Assign {
  return (frame, value: Value) => {
    assign(frame, value);
    for (const name of names) publish(frame, name);
  };
}

export function publish(frame: Frame, { name, index }: Published): void {
  const value = frame.slots[index];
  if (value !== undefined) frame.context.vars.set(name, value);
  if (!name.startsWith("_")) frame.context.exported.add(name);
}

/** An expression that is run for what it does. */
export function doing(run: Expression): Action {
  return (frame) => {
    run(frame);
    return NORMAL;
  };
}
