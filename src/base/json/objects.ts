/** Valibot schemas for objects and unions that are stricter or give better messages than valibot's own. */
import * as v from "valibot";
import { reading } from "./lax.ts";
import { isRecord } from "./members.ts";

/** An object schema that rejects lists: valibot accepts one as an object with numeric keys. */
export function noList<S extends v.GenericSchema>(schema: S): S {
  // Not undefined: valibot words the error for a missing value differently.
  return reading(schema, (value) => (Array.isArray(value) ? false : value));
}

/** An object with any members. */
export const members = noList(v.record(v.string(), v.unknown(), "must be an object"));

/** The same; its output is the input itself, because a copy would lose the order of keys such as "20". */
export const sameMembers: typeof members = {
  ...members,
  "~run": (dataset, config) => {
    const { value } = dataset;
    const run = members["~run"]({ value: isRecord(value) ? value : false }, config);
    return run.typed ? { ...run, value: value as typeof run.value } : run;
  },
};

/** Treats null members as absent, except those in `nullable`, where null has a meaning. */
export function nullsAsAbsent<S extends v.GenericSchema>(schema: S, ...nullable: string[]): S {
  const isPresent = ([name, member]: [string, unknown]) => member !== null || nullable.includes(name);
  return reading(schema, (value) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).filter(isPresent)) : value,
  );
}

/** A union in which the type of the value selects the alternative, so that errors refer to that one. */
export function alternatives<S extends v.GenericSchema>(
  union: S,
  schemaOf: (value: unknown) => v.GenericSchema | undefined,
): S {
  const run: S["~run"] = (dataset, config) => (schemaOf(dataset.value) ?? union)["~run"](dataset, config);
  return { ...union, "~run": run };
}
