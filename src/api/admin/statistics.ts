/** Statistics of recently ended jobs: GET /statistics. */
import * as v from "valibot";
import { described, integer, moment, named, text } from "../schema.ts";

export const statisticsLimits = {
  /** One day. */
  mostMinutes: 1_440,
  usualMinutes: 60,
  steps: 60,
  /** Maximum events scanned, newest first; about 0.1 s of CPU. */
  changes: 20_000,
  errorTypes: 20,
} as const;

/** In seconds; null without jobs. */
const seconds = v.nullable(v.number());
const spread = v.object({ p50: seconds, p95: seconds, max: seconds });
export type Spread = v.InferOutput<typeof spread>;

const counts = v.object({ finished: integer, failed: integer, cancelled: integer });

const step = v.object({
  at: described(moment, "Start of the step"),
  ...counts.entries,
  run_p50: described(seconds, "Seconds"),
  run_p95: described(seconds, "Seconds"),
});
export type StatisticsStep = v.InferOutput<typeof step>;

export const statisticsRecord = named(
  "Statistics",
  v.object({
    since: moment,
    until: moment,
    complete: described(
      v.boolean(),
      "False: more changes occurred than are counted or kept; the newest are counted",
    ),
    step_seconds: v.number(),
    counts,
    error_types: described(v.record(text, integer), "At most 20, most frequent first"),
    run: described(spread, "Seconds from claim to end of a job"),
    wait: described(spread, "Seconds from submission to claim"),
    steps: v.array(step),
  }),
);
export type StatisticsRecord = v.InferOutput<typeof statisticsRecord>;
