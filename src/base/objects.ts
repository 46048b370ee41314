/** Objects and alternatives as callers mean them, where valibot alone would take too much or say too little. */
import * as v from "valibot";
import { reading } from "./lax.ts";
import { isRecord } from "./members.ts";

/** An object that takes no list: valibot reads one as an object whose names are numbers. */
export function noList<S extends v.GenericSchema>(schema: S): S {
  // No undefined: what is not there is told in other words.
  return reading(schema, (value) => (Array.isArray(value) ? false : value));
}

/** Any members. */
export const members = noList(v.record(v.string(), v.unknown(), "must be an object"));

/** Members that are null are not given, but for `kept`, of which null says something. */
export function nullsAsAbsent<S extends v.GenericSchema>(schema: S, ...kept: string[]): S {
  const isSaid = ([name, member]: [string, unknown]) => member !== null || kept.includes(name);
  return reading(schema, (value) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).filter(isSaid)) : value,
  );
}

/** Alternatives of which the value's own kind says which is meant: a fault is told by that one, at its place. */
export function alternatives<S extends v.GenericSchema>(
  union: S,
  meant: (value: unknown) => v.GenericSchema | undefined,
): S {
  const run: S["~run"] = (dataset, config) => (meant(dataset.value) ?? union)["~run"](dataset, config);
  return { ...union, "~run": run };
}
