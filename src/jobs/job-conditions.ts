/** Converts the filter of a request to conditions of the store, but for host and device (`hostCondition`). */

import type { JobFilter } from "../api/filters.ts";
import { submitterNamed } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { refuse } from "../base/issues.ts";
import type { JobConditions } from "../store/port.ts";

export function toConditions(filter: JobFilter, caller: Caller): JobConditions {
  return {
    ids: filter.id === undefined ? undefined : [filter.id],
    // Held jobs count as queued unless the caller asks for `held`.
    status:
      filter.reason !== undefined && filter.status === undefined
        ? "held"
        : filter.status === "queued"
          ? (["queued", "held"] as const)
          : filter.status,
    heldFor: filter.reason,
    queue: filter.queue,
    driver: filter.driver,
    bulkId: filter.bulk_id,
    operation: filter.operation,
    dryRun: filter.dry_run,
    submitter: submitterNamed(filter.submitted_by, caller),
    errorType: filter.error_type,
    label: filter.label,
    ticket: filter.ticket,
    tag: filter.tag,
    createdSince: timeOf("since", filter.since),
    createdUntil: timeOf("until", filter.until),
  };
}

/** @throws ServiceError Validation */
export function timeOf(path: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (Number.isFinite(at)) return at;
  return refuse([{ path, message: "must be a time in ISO 8601" }]);
}
