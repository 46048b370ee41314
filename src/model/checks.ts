/** Checks around a push: what a request says of them, and what the record of its job says. */
import * as v from "valibot";
import { laxBoolean, laxNumber } from "../base/lax.ts";
import { nullsAsAbsent } from "../base/objects.ts";
import { patternFault } from "../base/pattern.ts";
import { templateUse } from "./template-use.ts";

export const mostChecks = 50;
export const settleRange = { min: 0, max: 600 } as const;

/** A line break would start another command. */
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
  name: v.exactOptional(oneLine(200)),
  command: oneLine(1_000),
  contains: v.exactOptional(sought),
  not_contains: v.exactOptional(sought),
  /** A regular expression, in time that grows with the output alone; `^` and `$` are those of a line. */
  matches: v.exactOptional(pattern),
  /** As `parsing` of a query: what is judged are its records. */
  parse: v.exactOptional(templateUse),
  /** JSONata over the records, or over the output where nothing is parsed. */
  expression: v.exactOptional(v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(4_096))),
  equals: v.exactOptional(v.unknown()),
  at_least: v.exactOptional(laxNumber()),
  at_most: v.exactOptional(laxNumber()),
  /** Compared with what it was before the push. */
  unchanged: v.exactOptional(v.literal(true, "must be true")),
  /** `at_least` and `at_most` are factors of the value before the push. */
  relative: v.exactOptional(laxBoolean()),
});
export const check = nullsAsAbsent(checkFields, "equals");
export type Check = v.InferOutput<typeof check>;

/** `checks` of a request. */
export const checks = v.strictObject({
  before: v.optional(v.nullable(v.pipe(v.array(check), v.maxLength(mostChecks)))),
  after: v.optional(v.nullable(v.pipe(v.array(check), v.maxLength(mostChecks)))),
  settle_seconds: v.optional(
    v.nullable(v.pipe(laxNumber(), v.minValue(settleRange.min), v.maxValue(settleRange.max))),
  ),
  on_failure: v.optional(v.nullable(v.picklist(["undo", "keep"]))),
});
export type RequestedChecks = v.InferOutput<typeof checks>;

/** As they are stored with the job. */
const storedCheck = v.object({
  ...checkFields.entries,
  /** How the engine's set is told the platform, where `parse` names no template. */
  setField: v.exactOptional(v.string()),
  /** The engine of `parse` has no templates to pick from. */
  argsOnly: v.exactOptional(v.boolean()),
});
export type StoredCheck = v.InferOutput<typeof storedCheck>;

export const storedChecks = v.object({
  before: v.array(storedCheck),
  after: v.array(storedCheck),
  settleMs: v.number(),
  onFailure: v.picklist(["undo", "keep"]),
});
export type StoredChecks = v.InferOutput<typeof storedChecks>;

/** How a change is or would be taken back; `none`: it is not. */
export const undoWays = [
  "confirmed_commit",
  "rollback",
  "checkpoint",
  "replace",
  "difference",
  "none",
] as const;
export type UndoWord = (typeof undoWays)[number];

/** What one check has shown. */
const checkResult = v.object({
  name: v.exactOptional(v.string()),
  command: v.string(),
  /** Null: it was not judged, `message` says why. */
  ok: v.nullable(v.boolean()),
  value: v.unknown(),
  expected: v.unknown(),
  message: v.string(),
  /** The beginning of what the device said. */
  output: v.exactOptional(v.string()),
});
export type CheckResult = v.InferOutput<typeof checkResult>;

const known = v.union([v.boolean(), v.literal("unknown")]);

/** `checks` of a job's record. */
export const checkReport = v.object({
  before: v.array(checkResult),
  after: v.array(checkResult),
  /** Whether the lines went to the device. */
  pushed: known,
  /** Whether they were taken back. */
  undone: known,
  how: v.picklist(undoWays),
  message: v.string(),
});
export type CheckReport = v.InferOutput<typeof checkReport>;

/** What became of a push with checks, as it is counted. */
export type PushOutcome = "confirmed" | "undone" | "not_undone" | "not_pushed" | "unknown";

/** How far a job with checks has come: on disk before it goes on, so that its record can say so whatever ends it. */
export const pushPhases = ["push", "after", "confirm", "undo"] as const;
export type PushPhase = (typeof pushPhases)[number];

export const checkNote = v.object({
  phase: v.picklist(pushPhases),
  how: v.picklist(undoWays),
  before: v.array(checkResult),
  /** When the device takes it back by itself, in milliseconds since 1970. */
  revertsAt: v.exactOptional(v.pipe(v.number(), v.integer())),
});
export type CheckNote = v.InferOutput<typeof checkNote>;
