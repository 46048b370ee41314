/** Statistics of jobs, as OpenAPI describes them. */
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
      description: "False: more happened than is counted or kept; what is counted is the newest",
    },
    step_seconds: number,
    counts: record<StatisticsRecord["counts"]>(counts),
    error_types: { type: "object", additionalProperties: integer, description: "At most 20" },
    run: { ...spread, description: "Seconds from the claim of a job to its end" },
    wait: { ...spread, description: "Seconds from its submission to its claim" },
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
      summary: "How jobs ended of late: counts, types of error, times",
      data: refTo("Statistics"),
      query: statisticsQuery,
      fails: ["422"],
    },
  },
} as const;
