/**
 * Reads jobs page by page, newest first, filtered by what the caller may reach, waits for jobs to end, and reads what a
 * push sent and received.
 */
import * as v from "valibot";
import type { JobFilter } from "../api/filters.ts";
import { isFinal, type JobWait, type ListedJob } from "../api/jobs/job.ts";
import { type TranscriptRecord, transcriptContent } from "../api/jobs/transcript.ts";
import { requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { maySeeJob } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { hashOfSent } from "../base/secrets/sent-hash.ts";
import { abortReason, neverAborted, onAbort } from "../base/time/deadline.ts";
import { giveWay } from "../base/time/yield.ts";
import type { JobEvents } from "../events/notices.ts";
import type { Admission } from "../limits/port.ts";
import type {
  JobConditions,
  JobHead,
  JobParts,
  ListedHead,
  Store,
  StoredJob,
  UnopenedJob,
} from "../store/port.ts";
import { toConditions } from "./job-conditions.ts";
import type { JobPage, RecordParts } from "./port.ts";
import { readableBy, toRecord, toWait, webhookState } from "./record.ts";
import type { SelectionTools } from "./request/device/selection.ts";
import { hostCondition, hostFilter } from "./select-filter.ts";

export interface QueryTools extends Pick<SelectionTools, "inventory"> {
  readonly store: Store;
  readonly jobEvents: JobEvents;
  readonly iso: (ms: number) => string;
  readonly admission: Pick<Admission, "largePieces" | "heavyWork">;
}

/** Parts of records to include. */
interface Shown extends RecordParts {
  /** Whether to include the queue position. */
  readonly place: boolean;
  /** Whether the caller knows the status `held`. */
  readonly held: boolean;
  readonly status?: JobConditions["status"];
  /** Parts to read from the store. */
  readonly read?: JobParts;
}

function shownOf({ status, ids }: JobConditions, parts = everything) {
  const { result, asked } = parts;
  const read = { result, asked, request: asked && ids !== undefined };
  return { ...parts, place: ids !== undefined, held: status === "held", status, read } satisfies Shown;
}

const everything: RecordParts = { result: true, asked: true, webhook: true };
/** Of more jobs whose ids have a prefix in common, only the newest are looked at. */
const maxPrefixed = 1_000;
/** Maximum total size of results per piece, unless a single one is larger. */
const pieceBytes = 512 * 1024;
const largeBytes = 2 * 1024 * 1024;
/** Poll interval on a shared store: jobs of other nodes end without an event here. */
const sharedPollMs = 250;

export function createQuery({ store, inventory, jobEvents, iso, admission }: QueryTools) {
  const seenPages = createVisiblePages({ store });

  async function conditionsOf(filter: JobFilter, caller: Caller): Promise<JobConditions> {
    const { id_prefix } = filter;
    return {
      ...toConditions(filter, caller),
      ...(id_prefix === undefined ? {} : { ids: await store.jobs.idsFrom(id_prefix, maxPrefixed) }),
      ...(await hostCondition({ inventory }, filter, caller)),
    };
  }

  async function* list(
    filter: JobFilter,
    caller: Caller,
    page: { cursor?: string; parts?: RecordParts; signal?: AbortSignal },
  ): AsyncGenerator<ListedJob[]> {
    const selected = await hostFilter({ inventory, admission }, filter.select, caller, page.signal);
    const conditions = { ...(await conditionsOf(filter, caller)), hostKeys: selected.hostKeys };
    const view = shownOf(conditions, page.parts);
    const beforeSeq = page.cursor === undefined ? undefined : await seqOf(page.cursor, caller);
    const { fits } = selected;
    const { signal } = page;
    const pageRequest = {
      conditions,
      parts: view.read,
      fits,
      beforeSeq,
      first: pageSize,
      ahead: true,
      signal,
    };
    for await (const rows of seenPages(pageRequest, caller)) yield* pieces(rows, view, caller);
  }

  async function page(
    filter: JobFilter,
    caller: Caller,
    {
      limit,
      cursor,
      parts,
      signal,
    }: { limit: number; cursor?: string; parts?: RecordParts; signal?: AbortSignal },
  ): Promise<JobPage> {
    const selected = await hostFilter({ inventory, admission }, filter.select, caller, signal);
    const conditions = { ...(await conditionsOf(filter, caller)), hostKeys: selected.hostKeys };
    const view = shownOf(conditions, parts);
    const beforeSeq = cursor === undefined ? undefined : await seqOf(cursor, caller);
    const visible: ListedHead[] = [];
    // Reads one more than returned, to know whether there is a next page.
    const first = Math.min(limit + 1, pageSize);
    const { fits } = selected;
    const pageRequest = { conditions, parts: view.read, fits, beforeSeq, first, ahead: false, signal };
    for await (const rows of seenPages(pageRequest, caller)) {
      visible.push(...rows);
      if (visible.length > limit) break;
    }
    const jobs = visible.slice(0, limit);
    return {
      next: visible.length > limit ? jobs.at(-1)?.head.id : undefined,
      pieces: pieces(jobs, view, caller),
    };
  }

  /** Pieces limited by bytes, because results may be megabytes each. */
  async function* pieces(
    rows: readonly ListedHead[],
    view: Shown,
    caller: Caller,
  ): AsyncGenerator<ListedJob[]> {
    for (const run of runsOf(rows)) {
      if (run.jobs.length > 0) yield* opened(run.jobs, caller, view);
      for (const batch of view.result ? inBytes(run.large) : [run.large]) {
        if (batch.length === 0) continue;
        const loaded = await store.jobs.load(
          batch.map(({ seq }) => seq),
          view.read,
        );
        const { status } = view;
        // Its status may have changed since the query.
        const matching = loaded.filter((job) => status === undefined || [status].flat().includes(job.status));
        yield* opened(matching, caller, view);
      }
    }
  }

  async function* opened(
    unopenedJobs: readonly UnopenedJob[],
    caller: Caller,
    view: Shown,
  ): AsyncGenerator<ListedJob[]> {
    let batch: StoredJob[] = [];
    let bytes = 0;
    for (const unopened of unopenedJobs) {
      const job = unopened.openUpTo(largeBytes);
      if (job !== undefined) {
        batch.push(job);
        bytes += job.result?.length ?? 0;
      }
      if (batch.length > 0 && (job === undefined || bytes > pieceBytes)) {
        const piece = await records(batch, view, caller);
        [batch, bytes] = [[], 0];
        yield piece;
      }
      if (job !== undefined) continue;
      // A large piece stays in memory until the client has read it: few at once, and one per key.
      const leave = await admission.largePieces.acquire(shareOf(caller));
      try {
        yield await records([unopened.open()], view, caller);
      } finally {
        leave();
      }
    }
    if (batch.length > 0) yield await records(batch, view, caller);
  }

  async function records(jobs: readonly StoredJob[], view: Shown, caller?: Caller): Promise<ListedJob[]> {
    const withWebhook = view.webhook ? jobs.filter((job) => job.hasWebhook).map((job) => job.id) : [];
    const states = withWebhook.length === 0 ? undefined : await store.deliveries.statesOf(withWebhook);
    const now = store.clock.wall();
    const listed: ListedJob[] = [];
    for (const stored of jobs) {
      const job = caller === undefined ? stored : readableBy(caller, stored);
      const record = toRecord(job, iso, webhookState(states?.get(job.id), now, iso), view.held);
      const progress = job.status === "running" ? jobEvents.live.progressOf(job.id) : undefined;
      const waits = view.place && !isFinal(job.status) ? await waitOf(job) : undefined;
      listed.push({
        ...record,
        ...(waits === undefined ? {} : { waits_for: waits }),
        ...(progress === undefined
          ? {}
          : { progress: { bytes_transferred: progress.done, total_bytes: progress.total } }),
      });
    }
    return listed;
  }

  async function waitOf(job: StoredJob): Promise<JobWait | undefined> {
    const place = await store.jobs.placeOf(job.id);
    return place && toWait(job, place, store.clock.wall(), iso);
  }

  /** A cursor is the id of the last returned job. */
  async function seqOf(cursor: string, caller: Caller): Promise<number> {
    // Reads only its position: the result may be megabytes.
    const [job] = await store.jobs.heads({ ids: [cursor] }, 1);
    if (job && maySeeJob(caller, job)) return job.seq;
    throw new ServiceError("BadRequest", "The cursor is not known: the job it names was deleted.");
  }

  async function find(id: string): Promise<ListedJob | undefined> {
    const job = await store.jobs.find(id);
    return job && (await records([job], { ...everything, place: true, held: false }))[0];
  }

  /** Calls `poll` on events until it returns a value, or the time or signal ends. */
  async function until<T>(
    key: string,
    forMs: number,
    signal: AbortSignal,
    poll: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const endsAt = performance.now() + forMs;
    for (;;) {
      // Subscribe before the first call, so that no event is missed.
      const news = Promise.withResolvers<void>();
      const unlisten = jobEvents.onEnd(key, news.resolve);
      const unabort = onAbort(signal, () => news.resolve());
      const remainingMs = endsAt - performance.now();
      const timer = setTimeout(
        news.resolve,
        Math.max(0, store.shared ? Math.min(remainingMs, sharedPollMs) : remainingMs),
      );
      try {
        const result = await poll();
        if (result !== undefined || remainingMs <= 0 || signal.aborted) return result;
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
    page,
    find,
    statusesOf: store.jobs.statusesOf,
    async waitFor(id: string, forMs: number, signal: AbortSignal): Promise<ListedJob | undefined> {
      let first = true;
      let latest: ListedJob | undefined;
      const ended = async () => {
        // Jobs rarely end before anyone waits: skip the first read for local jobs, and make it cheap for others.
        if (first && jobEvents.isOpen(id)) {
          first = false;
          return undefined;
        }
        const state = first ? (await store.jobs.statusesOf([id])).get(id) : undefined;
        first = false;
        if (state !== undefined && !isFinal(state)) return undefined;
        latest = await find(id);
        return latest !== undefined && isFinal(latest.status) ? latest : undefined;
      };
      return (await until(id, forMs, signal, ended)) ?? latest ?? find(id);
    },
    async waitForBulk(bulkId: string, forMs: number, signal: AbortSignal): Promise<void> {
      await until(bulkId, forMs, signal, async () =>
        (await store.jobs.unfinishedOf(bulkId)) === 0 ? true : undefined,
      );
    },
    async sentBy(id: string, caller: Caller): Promise<TranscriptRecord> {
      requireScope(caller, "read");
      const stored = await store.transcripts.find(id);
      if (stored === undefined || !maySeeJob(caller, stored))
        throw new ServiceError(
          "NotFound",
          "Nothing is kept of that job: there is none with that id, it was no push, it sent nothing, or it has not ended.",
        );
      if (stored.content === null)
        throw new ServiceError("Internal", "What the job sent is damaged and cannot be decrypted.");
      const content = v.parse(transcriptContent, JSON.parse(stored.content));
      const sha256 = hashOfSent(content.lines, content.dialogue);
      return { id, host: stored.host, ended_at: iso(stored.at), ...content, sha256 };
    },
  };
}

/** Groups the list into runs of loaded jobs and of large jobs that are loaded one by one. */
function* runsOf(rows: readonly ListedHead[]): Generator<{ jobs: UnopenedJob[]; large: JobHead[] }> {
  let run: { jobs: UnopenedJob[]; large: JobHead[] } = { jobs: [], large: [] };
  for (const { head, job } of rows) {
    if (job !== undefined && run.large.length > 0) {
      yield run;
      run = { jobs: [], large: [] };
    }
    if (job === undefined) run.large.push(head);
    else run.jobs.push(job);
  }
  yield run;
}

/** By stored (compressed) size. */
function* inBytes(heads: readonly JobHead[]): Generator<readonly JobHead[]> {
  for (let at = 0; at < heads.length; ) {
    let end = at;
    let bytes = 0;
    while (end < heads.length && (end === at || bytes + (heads[end]?.bytes ?? 0) <= pieceBytes))
      bytes += heads[end++]?.bytes ?? 0;
    yield heads.slice(at, end);
    at = end;
  }
}

/** Reads pages of jobs visible to a caller, newest first. */
interface Asked {
  readonly conditions: JobConditions;
  readonly parts: JobParts | undefined;
  readonly fits: (job: { readonly host: string }) => boolean;
  readonly beforeSeq: number | undefined;
  /** Size of the first page. */
  readonly first: number;
  /** Whether to prefetch the next page. */
  readonly ahead: boolean;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal | undefined;
}

interface Tools {
  readonly store: Pick<Store, "jobs" | "shared">;
}

const pageSize = 400;

/**
 * Invisible jobs have to be scanned as well. After a page with few visible jobs, the next pages are read without sealed
 * columns, and give way in between.
 */
function createVisiblePages({ store }: Tools) {
  return async function* seenPages(request: Asked, caller: Caller): AsyncGenerator<ListedHead[]> {
    const { conditions, parts, fits, signal = neverAborted } = request;
    const isSeen = ({ head }: ListedHead) => maySeeJob(caller, head) && fits(head);
    const heads = async (beforeSeq: number | undefined) => {
      await giveWay(shareOf(caller));
      const page = await store.jobs.heads({ ...conditions, beforeSeq }, pageSize);
      return page.map((head): ListedHead => ({ head, job: undefined }));
    };
    const read = (beforeSeq: number | undefined, limit: number) =>
      store.jobs.listed({ ...conditions, beforeSeq }, limit, parts);

    let limit = request.first;
    /** Whether the response has started. */
    let isBegun = false;
    let rows = await read(request.beforeSeq, limit);
    for (;;) {
      const visible = rows.filter(isSeen);
      const last = rows.length < limit ? undefined : rows.at(-1)?.head.seq;
      const isSparse = visible.length * 2 < rows.length;
      limit = pageSize;
      // Prefetch from a server while this page is sent; reading a file would only block the event loop.
      const reading =
        last !== undefined && request.ahead && store.shared && !isSparse ? read(last, limit) : undefined;
      reading?.catch(() => {});
      if (visible.length > 0) {
        isBegun = true;
        yield visible;
      }
      if (last === undefined) return;
      if (signal.aborted && isBegun) return;
      if (signal.aborted) throw abortReason(signal);
      rows = await (reading ?? (isSparse ? heads(last) : read(last, limit)));
    }
  };
}
