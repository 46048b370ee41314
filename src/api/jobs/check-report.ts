/** What the checks around a push found, as in `checks` of a job's record. */
import * as v from "valibot";
import { described, named, text } from "../schema.ts";

/** How a change is rolled back; `none`: it is not. */
export const undoWays = [
  "confirmed_commit",
  "rollback",
  "checkpoint",
  "replace",
  "difference",
  "none",
] as const;
export type UndoWord = (typeof undoWays)[number];

export const checkResult = named(
  "CheckResult",
  v.object({
    name: v.exactOptional(text),
    command: text,
    ok: described(v.nullable(v.boolean()), "Null: not evaluated; `message` says why"),
    value: described(
      v.unknown(),
      "Actual value: a value, the text that matched, or whether the text is present",
    ),
    expected: described(v.unknown(), "Value expected by the request"),
    message: text,
    output: v.exactOptional(described(text, "Beginning of the output")),
  }),
);
export type CheckResult = v.InferOutput<typeof checkResult>;

const known = v.union([v.boolean(), v.literal("unknown")]);

export const checkReport = named(
  "JobChecks",
  v.object({
    before: v.array(checkResult),
    after: v.array(checkResult),
    pushed: described(known, "Whether the lines were sent to the device"),
    undone: described(known, "Whether they were rolled back"),
    how: described(v.picklist(undoWays), "Rollback method for this device"),
    message: text,
    open: v.exactOptional(
      described(
        text,
        "Of a change with `hold`: marks of the commit that waits in the device, by which it is confirmed or cancelled later",
      ),
    ),
  }),
);
export type CheckReport = v.InferOutput<typeof checkReport>;
