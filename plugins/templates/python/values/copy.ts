/** Python's `copy.deepcopy`. */
import { limitError } from "../limits.ts";
import { PyDict, PySet } from "./dict.ts";
import { PyTuple, type Value } from "./values.ts";

/** A deep copy; cyclic values are an error. */
export function deepCopy(value: Value, depth = 0): Value {
  if (depth > 200) throw limitError("a value nested deeper than 200 levels");
  if (Array.isArray(value)) return value.map((item) => deepCopy(item, depth + 1));
  if (value instanceof PyDict)
    return value.withValues(value.values().map((item) => deepCopy(item, depth + 1)));
  if (value instanceof PyTuple) return new PyTuple(value.items.map((item) => deepCopy(item, depth + 1)));
  if (value instanceof PySet) return new PySet(value.values());
  return value;
}
