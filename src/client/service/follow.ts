/** Follows a bulk to its end across reconnects and restarts: counts, and each ended job once. */
import * as v from "valibot";
import { isFinal } from "../../api/jobs/job.ts";
import { pause } from "../../base/time/deadline.ts";
import { type Bulk, bulkRecord, type Job, jobList, state } from "./answers.ts";
import type { Api } from "./api.ts";
import { listen } from "./events.ts";

export interface Watcher {
  /** If set, receives each ended job with its result; without it only counts are fetched. */
  ended?(job: Job): Promise<void>;
  counted(now: Bulk): void;
}

const firstLookMs = 100;
const usualLookMs = 1_000;
/** Counts are polled less often the longer the bulk runs: after a twentieth of its age. */
const maxIntervalMs = 5_000;
const readAtOnce = 6;
/** With more ended jobs than this, pages are fetched instead of single jobs. */
const manyEnded = 60;
const pageSize = 500;
/** Pause between full reads, as a multiple of their duration. */
const sweepRest = 20;

/** @throws ServiceError NotFound; the abort reason of the signal, while the bulk goes on. */
export async function followBulk(api: Api, id: string, watcher: Watcher, signal: AbortSignal): Promise<Bulk> {
  const path = `/bulk/${encodeURIComponent(id)}`;
  const stop = new AbortController();
  const results = watcher.ended && createResults(api, id, watcher.ended, signal);
  const listening = results && listen(api, `${path}/events`, stop.signal, results.heard);
  const begunAt = performance.now();
  let lookMs = firstLookMs;
  try {
    for (;;) {
      const now = await api.call(path, bulkRecord, { patient: true, signal });
      watcher.counted(now);
      // A stopped bulk may still have running jobs.
      if (now.ended_at) {
        await results?.readRest(now.total);
        return now;
      }
      await results?.catchUp(now.counts.finished + now.counts.failed + now.counts.cancelled);
      await Promise.all([pause(lookMs, signal), results?.readEnded()]);
      const rare = results ? 0 : Math.min(maxIntervalMs, (performance.now() - begunAt) / 20);
      lookMs = Math.min(Math.max(usualLookMs, rare), lookMs * 2);
      signal.throwIfAborted();
    }
  } finally {
    stop.abort();
    await listening;
  }
}

/** Reads each ended job once: those named by events, and at the end the rest. */
function createResults(api: Api, bulkId: string, ended: (job: Job) => Promise<void>, signal: AbortSignal) {
  const reported = new Set<string>();
  const waiting = new Set<string>();
  let missingBefore = 0;
  let nextSweepAt = 0;

  async function report(jobs: readonly Job[]): Promise<void> {
    // A page has the newest first.
    const inOrder = jobs.toSorted((a, b) => Date.parse(a.ended_at ?? "") - Date.parse(b.ended_at ?? ""));
    for (const job of inOrder) {
      waiting.delete(job.id);
      if (reported.has(job.id) || !isFinal(job.status)) continue;
      reported.add(job.id);
      await ended(job);
    }
  }

  async function readAll(): Promise<void> {
    let cursor: string | undefined;
    do {
      const query = { bulk_id: bulkId, limit: pageSize, cursor };
      const page = await api.page("/job", jobList, { query, patient: true, signal });
      await report(page.data);
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  return {
    heard(event: string, data: unknown): void {
      const change = event === "state" ? v.safeParse(state, data) : undefined;
      if (!change?.success) return;
      const { id, status } = change.output;
      if (isFinal(status) && !reported.has(id)) waiting.add(id);
    },
    async readEnded(): Promise<void> {
      if (waiting.size > manyEnded) return readAll();
      while (waiting.size > 0) {
        const batch = [...waiting].slice(0, readAtOnce);
        const read = batch.map((id) => api.call("/job", jobList, { query: { id }, patient: true, signal }));
        await report((await Promise.all(read)).flat());
        for (const id of batch) waiting.delete(id);
      }
    },
    /** Reads jobs that ended without an event: they may have ended before the stream opened. */
    async catchUp(endedNow: number): Promise<void> {
      const missing = endedNow - reported.size - waiting.size;
      const isMissed = Math.min(missing, missingBefore) > 0;
      missingBefore = missing;
      if (!isMissed || performance.now() < nextSweepAt) return;
      const begunAt = performance.now();
      await readAll();
      // Without events, full reads must not overload the service.
      nextSweepAt = performance.now() + sweepRest * (performance.now() - begunAt);
    },
    /** @param total number of jobs of the bulk */
    async readRest(total: number): Promise<void> {
      if (reported.size < total) await readAll();
    },
  };
}
