/**
 * Lenient input for callers whose language or form turns everything into text: `"30"`, `"true"`, `1`, and an empty text
 * for absent. Numbers and booleans follow pydantic's lax mode.
 */
import * as v from "valibot";

const numberText = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const flags = new Map([
  ...["true", "t", "yes", "y", "on", "1"].map((word): [string, boolean] => [word, true]),
  ...["false", "f", "no", "n", "off", "0"].map((word): [string, boolean] => [word, false]),
]);
/** Longer than any meaningful number or word. */
const maxLength = 64;

/** `v.number()` that also accepts a number as text. */
export function laxNumber(message?: string): v.NumberSchema<string | undefined> {
  return reading(v.number(message), (value) =>
    typeof value === "string" && value.length <= maxLength && numberText.test(value) ? Number(value) : value,
  );
}

/**
 * `v.boolean()` that also accepts 0, 1 and the usual words. Not for use in unions, where these may mean another
 * alternative.
 */
export function laxBoolean(message?: string): v.BooleanSchema<string | undefined> {
  return reading(v.boolean(message), flagOf);
}

/** Returns the value unchanged if it is not a boolean in any form. */
export function flagOf(value: unknown): unknown {
  const word = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return word.length <= maxLength ? (flags.get(word.toLowerCase()) ?? value) : value;
}

/** Treats an empty text as absent, as forms send empty fields. */
export function emptyAsAbsent<S extends v.GenericSchema>(schema: S): v.NullishSchema<S, undefined> {
  return reading(v.nullish(schema), (value) => (value === "" ? undefined : value));
}

/** Converts the input first; the schema still describes its output type. */
export function reading<S extends v.GenericSchema>(schema: S, read: (value: unknown) => unknown): S {
  return {
    ...schema,
    "~standard": {
      ...schema["~standard"],
      validate: (value: unknown) => schema["~standard"].validate(read(value)),
    },
    "~run": (dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) =>
      schema["~run"]({ ...dataset, value: read(dataset.value) }, config),
  };
}
