/** A compiled expression, and the targets of `=`, `in` and `del`. */
import { itemsOf, type Meter, typeError, unpack, type Value } from "../../python/index.ts";
import { syntaxError } from "./errors.ts";
import type { Assign, Evaluate, Frame, Scope } from "./scope.ts";

export interface Expr {
  /** Description for errors. */
  readonly kind: string;
  readonly line: number;
  readonly read: Evaluate;
  /** Set for a bare name. */
  readonly name?: string;
  /** Set for names, attributes and items, which can be assigned to. */
  readonly target?: Target;
  /** Set for lists and tuples, which can be unpacked. */
  readonly items?: readonly Expr[];
  /** The operand of a star. */
  readonly starred?: Expr;
}

export interface Target {
  readonly write: Assign;
  readonly remove?: (frame: Frame) => void;
  /** Reads, modifies and writes; evaluates owner and key once. */
  readonly change: (frame: Frame, by: (before: Value) => Value) => void;
}

export const createExpr = (kind: string, line: number, read: Evaluate): Expr => ({ kind, line, read });

/** Evaluates the items of a display or call, with starred ones unpacked. */
export function collecting(items: readonly Expr[]): (frame: Frame) => Value[] {
  const parts = items.map(({ starred, read }) => ({ spread: starred?.read, read }));
  return (frame) => {
    const values: Value[] = [];
    for (const { spread, read } of parts) {
      if (spread === undefined) values.push(read(frame));
      else for (const item of itemsOf(spread(frame), frame.meter)) values.push(item);
    }
    frame.meter.items(values.length);
    return values;
  };
}

/** Binds the target's names. @throws TemplateError if the target cannot be assigned to. */
export function assigning(target: Expr, scope: Scope): Assign {
  const { name, items, starred } = target;
  if (name !== undefined) scope.bind(name);
  if (target.target !== undefined) return target.target.write;
  if (starred !== undefined) return assigning(starred, scope);
  if (items === undefined) throw syntaxError(`cannot assign to ${target.kind}`, target.line);
  const star = items.findIndex((item) => item.starred !== undefined);
  const parts = items.map((item) => assigning(item, scope));
  return (frame, value) => {
    const values = unpacked(value, items.length, star, frame.meter);
    for (const [i, assign] of parts.entries()) assign(frame, values[i] as Value);
  };
}

function unpacked(value: Value, count: number, star: number, meter: Meter): readonly Value[] {
  if (star < 0) return unpack(value, count, meter);
  const values = unpack(value, count - 1, meter, true);
  const end = values.length - (count - star - 1);
  return [...values.slice(0, star), values.slice(star, end), ...values.slice(end)];
}

/** `del target`. */
export function deleting({ name, items, target }: Expr, scope: Scope): (frame: Frame) => void {
  if (name !== undefined) scope.bind(name);
  if (target?.remove !== undefined) return target.remove;
  const parts = items?.map((item) => deleting(item, scope));
  return (frame) => {
    if (parts === undefined) throw typeError("attributes can't be deleted");
    for (const part of parts) part(frame);
  };
}
