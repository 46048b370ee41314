/** Checks around a push: schemas of requests, stored form and report. */
import * as v from "valibot";
import { laxBoolean, laxNumber } from "../../base/json/lax.ts";
import { nullsAsAbsent } from "../../base/json/objects.ts";
import { patternFault } from "../../base/regex/pattern.ts";
import { described, field } from "../schema.ts";
import { settleRange } from "./bounds.ts";
import { checkResult, undoWays } from "./check-report.ts";
import { templateUse } from "./template-use.ts";

export * from "./check-report.ts";

export const maxChecks = 50;

/** Single line: a line break would start another command. */
const oneLine = (most: number) =>
  v.pipe(
    v.string(),
    v.nonEmpty("must not be empty"),
    v.maxLength(most),
    v.regex(/^[^\0-\x08\x0a-\x1f\x7f]*$/, "must be one line without control characters"),
  );
const sought = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(4_096));
const pattern = v.pipe(
  v.string(),
  v.rawCheck(({ dataset, addIssue }) => {
    const fault = dataset.typed ? patternFault(dataset.value) : undefined;
    if (fault !== undefined) addIssue({ message: fault });
  }),
);

const checkFields = v.strictObject({
  name: described(v.exactOptional(oneLine(200)), "Name of the check, in its report"),
  command: described(oneLine(1_000), "The command whose output is checked"),
  contains: described(v.exactOptional(sought), "A text that the output must contain"),
  not_contains: described(v.exactOptional(sought), "A text that the output must not contain"),
  matches: described(
    v.exactOptional(pattern),
    "A regular expression that must match the output; `^` and `$` match at line boundaries",
  ),
  parse: described(v.exactOptional(templateUse), "As `parsing` of a query: the check evaluates the records"),
  expression: described(
    v.exactOptional(v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(4_096))),
    "JSONata over the records, or over the output without `parse`",
  ),
  equals: described(v.exactOptional(v.unknown()), "The value must equal this one"),
  at_least: described(v.exactOptional(laxNumber()), "Lower bound of the number"),
  at_most: described(v.exactOptional(laxNumber()), "Upper bound of the number"),
  unchanged: described(
    v.exactOptional(v.literal(true, "must be true")),
    "The value must be the same as before the push",
  ),
  relative: described(
    v.exactOptional(laxBoolean()),
    "`at_least` and `at_most` are factors of the value before the push",
  ),
});
export const check = nullsAsAbsent(checkFields, "equals");
export type Check = v.InferOutput<typeof check>;

/** `checks` of a request. */
export const checks = v.strictObject({
  before: described(
    field(v.pipe(v.array(check), v.maxLength(maxChecks))),
    "Checks before the push; if one fails, nothing is pushed",
  ),
  after: described(field(v.pipe(v.array(check), v.maxLength(maxChecks))), "Checks after the push"),
  settle_seconds: described(
    field(v.pipe(laxNumber(), v.minValue(settleRange.min), v.maxValue(settleRange.max))),
    "Seconds wait between the push and the checks after it",
  ),
  on_failure: described(
    field(v.picklist(["undo", "keep"])),
    "Effect of a failed check after the push: `undo` (default) rolls back where the device supports it, `keep` does not",
  ),
});
export type RequestedChecks = v.InferOutput<typeof checks>;

/** The stored form. */
const storedCheck = v.object({
  ...checkFields.entries,
  /** Name of the set argument for the platform, if `parse` names no template. */
  setField: v.exactOptional(v.string()),
  /** True if the engine of `parse` has no template set. */
  argsOnly: v.exactOptional(v.boolean()),
});
export type StoredCheck = v.InferOutput<typeof storedCheck>;

export const storedChecks = v.object({
  before: v.array(storedCheck),
  after: v.array(storedCheck),
  settleMs: v.number(),
  onFailure: v.picklist(["undo", "keep"]),
  /** The push is left open for this time, where the device can. */
  holdSeconds: v.exactOptional(v.number()),
});
export type StoredChecks = v.InferOutput<typeof storedChecks>;

/** Outcome of a push with checks, as counted by metrics. */
export type PushOutcome = "confirmed" | "undone" | "not_undone" | "not_pushed" | "unknown";

/** Phases of a push with checks, stored before each step so that the record is right after a crash. */
export const pushPhases = ["push", "after", "confirm", "undo"] as const;
export type PushPhase = (typeof pushPhases)[number];

export const checkNote = v.object({
  phase: v.picklist(pushPhases),
  how: v.picklist(undoWays),
  before: v.array(checkResult),
  /** When the device rolls back automatically, in ms since 1970. */
  revertsAt: v.exactOptional(v.pipe(v.number(), v.integer())),
  /** Of a push that is to be left open. */
  open: v.exactOptional(v.string()),
});
export type CheckNote = v.InferOutput<typeof checkNote>;
