/** Cancels waiting jobs, one or all that match a filter or are of a bulk; with force, stops running ones. */

import type { JobFilter } from "../api/filters.ts";
import type { CancelledBulk } from "../api/jobs/bulk.ts";
import type { JobResult } from "../api/jobs/job.ts";
import { requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse } from "../base/issues.ts";
import { abortReason, neverAborted } from "../base/time/deadline.ts";
import { yieldToEventLoop } from "../base/time/yield.ts";
import type { JobEvents } from "../events/notices.ts";
import type { Admission, Backlog } from "../limits/port.ts";
import type { JobConditions, JobHead, Store, StoredJob } from "../store/port.ts";
import type { createBulkQuery } from "./bulk/bulk-query.ts";
import { countsOf } from "./bulk/bulk-record.ts";
import { toConditions } from "./job-conditions.ts";
import type { SelectionTools } from "./request/device/selection.ts";
import { hostCondition, hostFilter } from "./select-filter.ts";

export interface CancelTools extends Pick<SelectionTools, "inventory"> {
  readonly store: Store;
  readonly backlog: Backlog;
  readonly jobEvents: JobEvents;
  readonly admission: Pick<Admission, "heavyWork">;
  readonly findBulk: ReturnType<typeof createBulkQuery>["findBulk"];
  /** Stops jobs running on this node; the request is already stored. */
  onStop(ids: readonly string[]): void;
  /** Triggers deliveries that an ended job has made due. */
  onEnded(): void;
}

type Stoppable = "queued" | "held" | "running";

/** Jobs per transaction, about 30 ms on a file. */
const atOnce = 1_000;

const cancelled: JobResult = {
  type: "failed",
  retval: null,
  error: { type: "Cancelled", message: "The job was cancelled before it started." },
};
const cancelledResult = JSON.stringify(cancelled);

export function createCancel(tools: CancelTools) {
  const { store, backlog, jobEvents, admission, findBulk, onStop, onEnded } = tools;

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

  return { cancel, cancelBulk };

  async function cancelOne(id: string, filter: JobFilter, force: boolean, caller: Caller): Promise<string[]> {
    const { fits } = await hostFilter(tools, filter.select, caller);
    const conditions = { ...toConditions(filter, caller), ...(await hostCondition(tools, filter, caller)) };
    for (;;) {
      const [job] = await store.jobs.page(conditions, 1);
      if (!job || !maySeeJob(caller, job) || !fits(job))
        throw new ServiceError("NotFound", "There is no job with that id.");
      const waits = job.status === "queued" || job.status === "held";
      if (waits && (await cancelWaiting([job], caller)).length > 0) return [id];
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
    return cancelAll(conditions, statuses, caller, signal, fits);
  }

  async function cancelBulk(
    id: string,
    force: boolean,
    caller: Caller,
    signal: AbortSignal = neverAborted,
  ): Promise<CancelledBulk> {
    requireScope(caller, "operate");
    const { visible } = await findBulk(id, caller);
    const { queued, held, running } = countsOf(visible.tally);
    if (queued + held + (force ? running : 0) === 0) return { cancelled: 0, stopping: 0 };
    const answer = { cancelled: 0, stopping: 0 };
    const bulk = { bulkId: id };
    for (;;) {
      // Held jobs first, because they would be queued as others are cancelled; stragglers are found in the next round.
      const ids = await cancelAll(bulk, ["held", "queued"], caller, signal);
      answer.cancelled += ids.length;
      if (ids.length === 0) break;
    }
    if (force) answer.stopping = (await cancelAll(bulk, ["running"], caller, signal)).length;
    // Recorded last, and only if the caller sees the whole bulk: otherwise the rest continues.
    if (visible.whole && answer.cancelled + answer.stopping > 0)
      await store.bulks.stop(id, `cancelled by the API key ${caller.name}`);
    const detail = `${id}: ${answer.cancelled} cancelled, ${answer.stopping} asked to stop`;
    await store.audit.add({ caller, action: "bulk.cancel", outcome: "cancelled", detail });
    return answer;
  }

  /**
   * All that match, in batches. If the caller disconnects, finished batches stay cancelled and audited; the rest stays
   * queued.
   * @throws the abort reason of the signal
   */
  async function cancelAll(
    conditions: JobConditions,
    statuses: readonly Stoppable[],
    caller: Caller,
    signal: AbortSignal,
    fits: (job: JobHead) => boolean = () => true,
  ): Promise<string[]> {
    const cancelledIds: string[] = [];
    for (const status of statuses) {
      let beforeSeq: number | undefined;
      for (let last = false; !last; ) {
        const heads = await admission.heavyWork.run(shareOf(caller), signal, async () => {
          const page = await store.jobs.heads({ ...conditions, status, beforeSeq }, atOnce);
          const visible = page.filter((job) => maySeeJob(caller, job) && fits(job));
          cancelledIds.push(...(await cancelPage(visible, status, caller)));
          return page;
        });
        last = heads.length < atOnce;
        beforeSeq = heads.at(-1)?.seq;
        await yieldToEventLoop();
        if (signal.aborted) throw abortReason(signal);
      }
    }
    return cancelledIds;
  }

  async function cancelPage(jobs: readonly JobHead[], status: Stoppable, caller: Caller) {
    if (status !== "running") return cancelWaiting(jobs, caller);
    await stopRunning(jobs, caller);
    return jobs.map((job) => job.id);
  }

  /** @returns ids of those that are cancelled: others were claimed meanwhile */
  async function cancelWaiting(
    jobs: readonly Pick<JobHead, "id" | "bulkId" | "hasWebhook">[],
    caller: Caller,
  ): Promise<string[]> {
    const cancelled = await store.settlements.cancelQueued(jobs, cancelledResult, caller);
    for (const { share } of cancelled) backlog.add(share, -1);
    const cancelledIds = new Set(cancelled.map(({ id }) => id));
    const ended = jobs.filter((job) => cancelledIds.has(job.id));
    for (const { id, bulkId } of ended) jobEvents.announceEnd({ id, bulkId, status: "cancelled" });
    if (ended.some((job) => job.hasWebhook)) onEnded();
    return ended.map((job) => job.id);
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
