/** Hashes of dictionary keys: equal values have equal hashes. */
import { typeError } from "../errors.ts";
import { Markup, PyFloat, PyTuple, typeName, type Value } from "./values.ts";

/** 2.0 and 2 are the same key. */
export function floatKey(key: PyFloat): number | bigint | PyFloat {
  const { value } = key;
  if (Number.isNaN(value)) return key;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** A hash that is equal for equal values. Tuples cache it, so shared nesting is visited once. */
export function hash32(value: Value): number {
  switch (typeof value) {
    case "string":
      return textHash(value);
    case "number":
      return value | 0;
    case "bigint":
      return textHash(String(value));
    case "boolean":
      return value ? 1 : 0;
  }
  if (value === null) return 17;
  if (Array.isArray(value)) throw typeError("unhashable type: 'list'");
  if (value instanceof Markup) return textHash(value.value);
  if (value instanceof PyFloat) {
    const key = floatKey(value);
    return typeof key === "bigint" ? textHash(String(key)) : typeof key === "number" ? key | 0 : 23;
  }
  if (value instanceof PyTuple) {
    let hash = tupleHashes.get(value);
    if (hash === undefined) {
      hash = value.items.length;
      for (const item of value.items) hash = (Math.imul(hash, 31) + hash32(item)) | 0;
      tupleHashes.set(value, hash);
    }
    return hash;
  }
  return textHash(value.hash() ?? typeName(value));
}

const tupleHashes = new WeakMap<PyTuple, number>();

function textHash(text: string): number {
  let hash = text.length;
  const end = Math.min(text.length, 64);
  for (let i = 0; i < end; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}
