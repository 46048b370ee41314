/**
 * What callers write whose language or form makes texts of everything: `"30"`, `"true"`, `1`, and an empty text for
 * nothing. Numbers and flags are those of pydantic's lax mode.
 */
import * as v from "valibot";

const numberText = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const flags = new Map([
  ...["true", "t", "yes", "y", "on", "1"].map((word): [string, boolean] => [word, true]),
  ...["false", "f", "no", "n", "off", "0"].map((word): [string, boolean] => [word, false]),
]);
/** Longer than any number or word that means something. */
const mostLength = 64;

/** `v.number()` that takes the text of a number, too. */
export function laxNumber(message?: string): v.NumberSchema<string | undefined> {
  return reading(v.number(message), (value) =>
    typeof value === "string" && value.length <= mostLength && numberText.test(value) ? Number(value) : value,
  );
}

/** `v.boolean()` that takes 0 and 1 and the usual words, too. Not among alternatives: there they may mean another. */
export function laxBoolean(message?: string): v.BooleanSchema<string | undefined> {
  return reading(v.boolean(message), flagOf);
}

/** What is no flag stays what it is. */
export function flagOf(value: unknown): unknown {
  const word = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return word.length <= mostLength ? (flags.get(word.toLowerCase()) ?? value) : value;
}

/** Takes an empty text for absent, as a form sends it for what was not filled in. */
export function emptyAsAbsent<S extends v.GenericSchema>(schema: S): v.NullishSchema<S, undefined> {
  return reading(v.nullish(schema), (value) => (value === "" ? undefined : value));
}

/** Reads first; it still describes itself as what it makes. */
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
