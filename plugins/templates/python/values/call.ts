/** Calls a value. */
import { typeError } from "../errors.ts";
import type { Meter } from "../limits.ts";
import { type Kwargs, PyObject, typeName, Undefined, type Value } from "./values.ts";

export function callValue(
  target: Value,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  meter: Meter,
): Value {
  meter.step();
  if (target instanceof Undefined) return target.fail();
  if (!isCallable(target)) throw typeError(`'${typeName(target)}' object is not callable`);
  return target.call(args, kwargs, meter);
}

export function isCallable(value: Value): value is PyObject & Required<Pick<PyObject, "call">> {
  return value instanceof PyObject && value.call !== undefined;
}
