/** Cancels waiting jobs and, with force, stops running ones. */

import type { JobFilter } from "../api/filters.ts";
import { requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse } from "../base/issues.ts";
import { neverAborted } from "../base/time/deadline.ts";
import type { JobEvents } from "../events/notices.ts";
import type { Admission, Backlog } from "../limits/port.ts";
import type { Store, StoredJob } from "../store/port.ts";
import { cancelledResult, createCancelMany } from "./cancel-many.ts";
import { toConditions } from "./job-conditions.ts";
import type { SelectionTools } from "./request/device/selection.ts";
import { hostCondition, hostFilter } from "./select-filter.ts";

export interface CancelTools extends Pick<SelectionTools, "inventory"> {
  readonly store: Store;
  readonly backlog: Backlog;
  readonly jobEvents: JobEvents;
  readonly admission: Pick<Admission, "heavyWork">;
  /** Stops jobs running on this node; the request is already stored. */
  onStop(ids: readonly string[]): void;
  /** Triggers deliveries that an ended job has made due. */
  onEnded(): void;
}

export function createCancel(tools: CancelTools) {
  const { store, backlog, jobEvents, onStop, onEnded } = tools;
  const many = createCancelMany({ ...tools, stopRunning });

  async function cancel(
    filter: JobFilter,
    force: boolean,
    caller: Caller,
    signal: AbortSignal = neverAborted,
  ): Promise<string[]> {
    requireScope(caller, "operate");
    if (Object.values(filter).every((value) => value === undefined))
      refuse([{ path: "id", message: "a filter is required" }]);
    return filter.id === undefined
      ? cancelMany(filter, force, caller, signal)
      : cancelOne(filter.id, filter, force, caller);
  }

  return { cancel, cancelMany: many };

  async function cancelOne(id: string, filter: JobFilter, force: boolean, caller: Caller): Promise<string[]> {
    const { fits } = await hostFilter(tools, filter.select, caller);
    const conditions = { ...toConditions(filter, caller), ...(await hostCondition(tools, filter, caller)) };
    for (;;) {
      const [job] = await store.jobs.page(conditions, 1);
      if (!job || !maySeeJob(caller, job) || !fits(job))
        throw new ServiceError("NotFound", "There is no job with that id.");
      const waits = job.status === "queued" || job.status === "held";
      if (waits && (await cancelQueued(job, caller))) return [id];
      // It was claimed between the two statements: retry.
      if (waits) continue;
      if (job.status === "running" && force) {
        await stopRunning([job], caller);
        return [id];
      }
      const hint = job.status === "running" ? " Use force=true to stop it." : "";
      throw new ServiceError("BusinessFailure", `The job is ${job.status} and cannot be cancelled.${hint}`, {
        id,
        status: job.status,
      });
    }
  }

  async function cancelMany(
    filter: JobFilter,
    force: boolean,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<string[]> {
    const stoppable = force ? (["queued", "held", "running"] as const) : (["queued", "held"] as const);
    const fitting = filter.status ?? (filter.reason === undefined ? undefined : "held");
    const statuses = stoppable.filter((status) => fitting === undefined || fitting === status);
    const { hostKeys, fits } = await hostFilter(tools, filter.select, caller, signal);
    const conditions = {
      ...toConditions(filter, caller),
      ...(await hostCondition(tools, filter, caller)),
      hostKeys,
    };
    return many(conditions, statuses, caller, signal, fits);
  }

  async function cancelQueued(job: StoredJob, caller: Caller): Promise<boolean> {
    const { id, bulkId, hasWebhook } = job;
    const [cancelled] = await store.settlements.cancelQueued([job], cancelledResult, caller);
    if (cancelled === undefined) return false;
    backlog.add(cancelled.share, -1);
    jobEvents.announceEnd({ id, bulkId, status: "cancelled" });
    if (hasWebhook) onEnded();
    return true;
  }

  async function stopRunning(jobs: readonly Pick<StoredJob, "id" | "host">[], caller: Caller): Promise<void> {
    if (jobs.length === 0) return;
    const ids = jobs.map((job) => job.id);
    await store.claims.requestStop(ids, "cancel");
    // Before anything that may fail: a single node has no poll that would find the request.
    onStop(ids);
    for (const job of jobs)
      await store.audit.add({ caller, action: "job.stop", host: job.host, jobId: job.id, outcome: "asked" });
  }
}
