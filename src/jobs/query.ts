/** Reads jobs: one page after the other, newest first, only of devices the caller may reach; waits for ends. */
import type { Caller } from "../auth/caller.ts";
import { maySeeJob } from "../auth/reach.ts";
import { onAbort } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import { canonicalHost } from "../model/identity.ts";
import { isFinal, type ListedJob } from "../model/job.ts";
import type { JobFilter } from "../model/worker.ts";
import type { JobConditions, StoredJob } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import type { Ends } from "./ends.ts";
import { toRecord, webhookState } from "./record.ts";

export interface QueryTools {
  readonly store: Store;
  readonly ends: Ends;
  readonly iso: (ms: number) => string;
}

const pageSize = 200;
/** Jobs of other nodes end without an event here. */
const sharedPollMs = 250;

export function createQuery({ store, ends, iso }: QueryTools) {
  async function* list(
    filter: JobFilter,
    caller: Caller,
    page: { limit?: number; cursor?: string },
  ): AsyncGenerator<ListedJob[]> {
    const conditions = toConditions(filter);
    const { limit } = page;
    let beforeSeq = page.cursor === undefined ? undefined : await seqOf(page.cursor);
    let gathered: StoredJob[] = [];
    for (;;) {
      const jobs = await store.jobs.page({ ...conditions, beforeSeq }, pageSize);
      gathered.push(...jobs.filter((job) => maySeeJob(caller, job)));
      const last = jobs.length < pageSize;
      // A page that was asked for comes in one piece; without a limit, pieces come as they are read.
      if (limit !== undefined && (last || gathered.length >= limit)) {
        if (gathered.length > 0) yield await records(gathered.slice(0, limit));
        return;
      }
      if (limit === undefined && gathered.length > 0) {
        yield await records(gathered);
        gathered = [];
      }
      if (last) return;
      beforeSeq = jobs.at(-1)?.seq;
    }
  }

  async function records(jobs: readonly StoredJob[]): Promise<ListedJob[]> {
    const hooked = jobs.filter((job) => job.hooked).map((job) => job.id);
    const states = await store.deliveries.statesOf(hooked);
    const now = store.clock.wall();
    return jobs.map((job) => toRecord(job, iso, webhookState(states.get(job.id), now, iso)));
  }

  /** A cursor is the id of the last job that was given. */
  async function seqOf(cursor: string): Promise<number> {
    const job = await store.jobs.find(cursor);
    if (job) return job.seq;
    throw new ServiceError("BadRequest", "The cursor is not known: the job it names was deleted.");
  }

  async function find(id: string): Promise<ListedJob | undefined> {
    const job = await store.jobs.find(id);
    return job && (await records([job]))[0];
  }

  /** Resolves with what `look` gives when that is there, or when the time or the signal is over. */
  async function until<T>(
    key: string,
    forMs: number,
    signal: AbortSignal,
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const endsAt = performance.now() + forMs;
    for (;;) {
      // Listening comes before looking: an end between the two is not missed.
      const news = Promise.withResolvers<void>();
      const unlisten = ends.listen(key, news.resolve);
      const unabort = onAbort(signal, () => news.resolve());
      const left = endsAt - performance.now();
      const timer = setTimeout(news.resolve, Math.max(0, store.shared ? Math.min(left, sharedPollMs) : left));
      try {
        const found = await look();
        if (found !== undefined || left <= 0 || signal.aborted) return found;
        await news.promise;
      } finally {
        clearTimeout(timer);
        unlisten();
        unabort();
      }
    }
  }

  return {
    list,
    find,
    async waitFor(id: string, forMs: number, signal: AbortSignal): Promise<ListedJob | undefined> {
      let first = true;
      let seen: ListedJob | undefined;
      const ended = async () => {
        // A job has seldom ended before anybody waited: the first look is the cheap one.
        const state = first ? (await store.jobs.statusesOf([id])).get(id) : undefined;
        first = false;
        if (state !== undefined && !isFinal(state)) return undefined;
        seen = await find(id);
        return seen !== undefined && isFinal(seen.status) ? seen : undefined;
      };
      return (await until(id, forMs, signal, ended)) ?? seen ?? find(id);
    },
    async waitForBulk(bulkId: string, forMs: number, signal: AbortSignal): Promise<void> {
      await until(bulkId, forMs, signal, async () =>
        (await store.jobs.unfinishedOf(bulkId)) === 0 ? true : undefined,
      );
    },
  };
}

function toConditions(filter: JobFilter): JobConditions {
  return {
    ids: filter.id === undefined ? undefined : [filter.id],
    status: filter.status,
    queue: filter.queue,
    hostKey: filter.host === undefined ? undefined : canonicalHost(filter.host),
    driver: filter.driver,
    bulkId: filter.bulk_id,
    createdSince: filter.since === undefined ? undefined : timeOf(filter.since),
  };
}

function timeOf(text: string): number {
  const at = Date.parse(text);
  if (Number.isFinite(at)) return at;
  throw new ServiceError("Validation", "Validation Error", {
    issues: [{ path: "since", message: "must be a time in ISO 8601" }],
  });
}
