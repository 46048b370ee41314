/** GET /statistics: recent job outcomes. */

import * as v from "valibot";
import { statisticsLimits, statisticsRecord } from "../../../api/admin/statistics.ts";
import { described } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { wholeNumber } from "../../query.ts";
import { route } from "../../route.ts";

/** Reads as much as a long list of jobs and has the same rate-limit cost. */
const cost = statisticsLimits.changes / 1_000;

export const statisticsRoutes = [
  route({
    id: "readStatistics",
    method: "GET",
    path: "/statistics",
    scope: "read",
    summary: "Recent job outcomes: counts, error types, durations",
    query: v.object({
      minutes: described(
        v.optional(wholeNumber(statisticsLimits.mostMinutes), `${statisticsLimits.usualMinutes}`),
        "Time range, ending now",
      ),
    }),
    answer: statisticsRecord,
    handle({ caller, options, reservation }, { minutes }) {
      const { admin, admission } = options;
      reservation.hold(admission.lists.take(shareOf(caller)));
      admission.rateLimiter.charge(shareOf(caller), cost);
      return admin.statistics(minutes, caller);
    },
  }),
];
