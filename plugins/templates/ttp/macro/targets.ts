/** What stands left of `=`: names, attributes, items, and tuples that unpack. */
import { attributeError, typeError, valueError } from "../../python/errors.ts";
import { isIterable, itemsOf } from "../../python/iterate.ts";
import type { Meter } from "../../python/limits.ts";
import { PyObject, typeName, type Value } from "../../python/values.ts";
import type { Expr } from "./ast.ts";
import { type Frame, placeOf } from "./frame.ts";
import type { Evaluate } from "./functions.ts";
import { deleteItem, writeItem } from "./items.ts";
import type { Scope } from "./scope.ts";

export type Assign = (frame: Frame, value: Value) => void;
type Compile = (expr: Expr, scope: Scope) => Evaluate;

export function compileTarget(target: Expr, scope: Scope, compile: Compile): Assign {
  switch (target.kind) {
    case "name":
      return placeOf(target.name, scope).write;
    case "attribute": {
      const owner = compile(target.target, scope);
      return (frame, value) => writeAttribute(owner(frame), target.name, value);
    }
    case "item": {
      const owner = compile(target.target, scope);
      const key = compile(target.key, scope);
      return (frame, value) => writeItem(owner(frame), key(frame), value, frame.meter);
    }
    case "tuple":
    case "list":
      return unpacking(target.items, scope, compile);
    default:
      throw new Error(`no target: ${target.kind}`);
  }
}

export function writeAttribute(owner: Value, name: string, value: Value): void {
  if (!(owner instanceof PyObject) || owner.setattr === undefined)
    throw attributeError(`'${typeName(owner)}' object attribute '${name}' is read-only`);
  owner.setattr(name, value);
}

function unpacking(items: readonly Expr[], scope: Scope, compile: Compile): Assign {
  const star = items.findIndex((one) => one.kind === "star");
  const parts = items.map((one) => compileTarget(one.kind === "star" ? one.value : one, scope, compile));
  return (frame, value) => {
    const values = unpacked(value, items.length, star, frame.meter);
    parts.forEach((assign, i) => {
      assign(frame, values[i] as Value);
    });
  };
}

function unpacked(value: Value, count: number, star: number, meter: Meter): readonly Value[] {
  if (!isIterable(value)) throw typeError(`cannot unpack non-iterable ${typeName(value)} object`);
  const values = itemsOf(value, meter);
  if (star < 0) {
    if (values.length > count) throw valueError(`too many values to unpack (expected ${count})`);
    if (values.length < count)
      throw valueError(`not enough values to unpack (expected ${count}, got ${values.length})`);
    return values;
  }
  const after = count - star - 1;
  if (values.length < count - 1)
    throw valueError(`not enough values to unpack (expected at least ${count - 1}, got ${values.length})`);
  const rest = values.slice(star, values.length - after);
  return [...values.slice(0, star), rest, ...values.slice(values.length - after)];
}

/** `del target`. */
export function compileDelete(target: Expr, scope: Scope, compile: Compile): (frame: Frame) => void {
  if (target.kind === "name") return placeOf(target.name, scope).remove;
  if (target.kind === "item") {
    const owner = compile(target.target, scope);
    const key = compile(target.key, scope);
    return (frame) => deleteItem(owner(frame), key(frame), frame.meter);
  }
  if (target.kind === "tuple" || target.kind === "list") {
    const parts = target.items.map((one) => compileDelete(one, scope, compile));
    return (frame) => {
      for (const part of parts) part(frame);
    };
  }
  return () => {
    throw typeError("attributes can't be deleted");
  };
}
