/** GET /statistics: recent job outcomes. */
import { statisticsLimits } from "../../model/statistics.ts";
import type { Call } from "../call.ts";
import { queryOf, statisticsQuery } from "../query.ts";
import { success } from "../respond.ts";

/** Reads as much as a long list of jobs and has the same rate-limit cost. */
const cost = statisticsLimits.changes / 1_000;

export async function readStatistics({ url, caller, options, reservation }: Call): Promise<Response> {
  const { minutes = statisticsLimits.usualMinutes } = queryOf(statisticsQuery, url);
  const { jobs, admission } = options;
  reservation.hold(admission.lists.take(caller.keyId));
  admission.rateLimiter.charge(caller.keyId, cost);
  return success(await jobs.statistics(minutes, caller));
}
