/** OpenAPI description of the job statistics. */
import type { Spread, StatisticsRecord, StatisticsStep } from "../model/statistics.ts";
import { boolean, integer, listOf, moment, number, orNull, record, refTo } from "./openapi-schema.ts";
import { statisticsQuery } from "./query.ts";

const counts = { finished: integer, failed: integer, cancelled: integer };
const spread = record<Spread>({ p50: orNull(number), p95: orNull(number), max: orNull(number) });

export const statisticsSchemas = {
  Statistics: record<StatisticsRecord>({
    since: moment,
    until: moment,
    complete: {
      ...boolean,
      description: "False: more changes occurred than are counted or kept; the newest are counted",
    },
    step_seconds: number,
    counts: record<StatisticsRecord["counts"]>(counts),
    error_types: { type: "object", additionalProperties: integer, description: "At most 20" },
    run: { ...spread, description: "Seconds from claim to end of a job" },
    wait: { ...spread, description: "Seconds from submission to claim" },
    steps: listOf(
      record<StatisticsStep>({
        ...{ at: moment, ...counts },
        ...{ run_p50: orNull(number), run_p95: orNull(number) },
      }),
    ),
  }),
};

export const statisticsPaths = {
  "/statistics": {
    get: {
      summary: "Recent job outcomes: counts, error types, durations",
      data: refTo("Statistics"),
      query: statisticsQuery,
      fails: ["422"],
    },
  },
} as const;
