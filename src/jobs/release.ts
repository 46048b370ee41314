/** Releases held jobs: they are queued as if submitted now. */

import type { JobFilter } from "../api/filters.ts";
import { requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse } from "../base/issues.ts";
import { yieldToEventLoop } from "../base/time/yield.ts";
import type { JobHead, Store } from "../store/port.ts";
import { requireReady } from "./readiness.ts";
import { hostCondition, hostFilter } from "./select-filter.ts";
import type { SubmitTools } from "./submit.ts";

export interface ReleaseTools
  extends Pick<SubmitTools, "onQueued" | "onHeld" | "notReady" | "inventory" | "admission"> {
  readonly store: Store;
}

const pageSize = 500;

export function createRelease(tools: ReleaseTools) {
  const { store, onQueued, onHeld } = tools;

  return async (filter: JobFilter, caller: Caller): Promise<string[]> => {
    requireScope(caller, "operate");
    if (Object.values(filter).every((value) => value === undefined))
      refuse([
        {
          path: "id",
          message: "one of id, reason, queue, host, device, select, driver and bulk_id is required",
        },
      ]);
    requireReady(tools);
    if (filter.id !== undefined) await requireHeld(filter.id, caller);
    const { hostKeys, fits } = await hostFilter(tools, filter.select, caller);
    const conditions = {
      hostKeys,
      ids: filter.id === undefined ? undefined : [filter.id],
      queue: filter.queue,
      ...(await hostCondition(tools, filter, caller)),
      driver: filter.driver,
      bulkId: filter.bulk_id,
      heldFor: filter.reason,
    };
    const released: string[] = [];
    let beforeSeq: number | undefined;
    for (;;) {
      const page = await store.jobs.heads({ ...conditions, status: "held", beforeSeq }, pageSize);
      released.push(
        ...(await release(
          page.filter((job) => maySeeJob(caller, job) && fits(job)),
          caller,
        )),
      );
      if (page.length < pageSize) return released;
      beforeSeq = page.at(-1)?.seq;
      // A page may contain no visible job, and reads from a file never yield by themselves.
      await yieldToEventLoop();
    }
  };

  async function release(jobs: readonly JobHead[], caller: Caller): Promise<string[]> {
    if (jobs.length === 0) return [];
    const ids = jobs.map((job) => job.id);
    const released = await store.held.release(ids, caller);
    onQueued(released.filter(({ status }) => status === "queued"));
    const bulkIds = released.flatMap(({ status, bulkId }) => (status === "held" ? [bulkId] : []));
    for (const bulkId of new Set(bulkIds)) onHeld(bulkId);
    return released.map(({ id }) => id);
  }

  async function requireHeld(id: string, caller: Caller): Promise<void> {
    const [job] = await store.jobs.page({ ids: [id] }, 1);
    if (!job || !maySeeJob(caller, job)) throw new ServiceError("NotFound", "There is no job with that id.");
    if (job.status !== "held")
      throw new ServiceError("BusinessFailure", `The job is ${job.status}, not held.`, {
        id,
        status: job.status,
      });
    if (job.dueT === 0)
      throw new ServiceError("BusinessFailure", "The job waits for others of its bulk (concurrency).", {
        id,
        status: job.status,
      });
  }
}
