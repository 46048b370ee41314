/** An in-memory event log that tests write to, with the service's streams on it. */

import type { JobStatus } from "../../src/api/jobs/job.ts";
import { silentLog } from "../../src/base/log.ts";
import { createEvents } from "../../src/events/events.ts";
import { createJobEvents } from "../../src/events/job-events.ts";
import type { BulkState, JobChange, Listening, StreamEvent } from "../../src/events/port.ts";
import type { EventLog, JobHead, Store } from "../../src/store/port.ts";
import { admin } from "../support/requests.ts";

export function createWorld() {
  let log: JobChange[] = [];
  const listeners = new Set<() => void>();
  const reads: [n: number, limit: number][] = [];
  const { live } = createJobEvents();
  /** Latest state of each job, retained or not. */
  const jobs = new Map<string, JobChange>();
  const bulks = new Map<string, BulkState>();
  const bulkReads: string[] = [];
  let next = 1;
  let isAway = false;
  const last = () => log.at(-1);
  const mark = () => ({ n: last()?.n ?? 0, jobId: last()?.jobId ?? "" });
  const requireStore = () => {
    if (isAway) throw new Error("the store is away");
  };

  const events: EventLog = {
    async after(n, limit) {
      requireStore();
      reads.push([n, limit]);
      return log.filter((change) => change.n > n).slice(0, limit);
    },
    ends: async () => ({ ends: [], oldestAt: undefined }),
    last: async () => mark(),
    async ofJob(id) {
      const change = jobs.get(id);
      if (change === undefined) return undefined;
      const { n: _n, ...job } = change;
      return { job, last: mark() };
    },
    onHeard: () => () => {},
    onWritten(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    trim: async () => false,
  };
  const heads = async () => {
    const running = new Set<string>();
    for (const { jobId, status } of log)
      if (status === "running") running.add(jobId);
      else running.delete(jobId);
    return [...running].map((id) => ({ id, host: "r1", caller: "k1" }) as JobHead);
  };
  const store = { events, jobs: { heads } as unknown as Store["jobs"], shared: false };
  const streams = createEvents({
    store,
    live,
    log: silentLog,
    node: "n1",
    busy: () => false,
    async readBulk(id) {
      bulkReads.push(id);
      return bulks.get(id);
    },
  });

  return {
    streams,
    live,
    reads,
    bulks,
    bulkReads,
    position: mark,
    /** Number of commit listeners: none without event listeners. */
    readers: () => listeners.size,
    away(is: boolean): void {
      isAway = is;
    },
    /** Writes changes like a transaction of this node. */
    write(...changes: readonly (Partial<JobChange> & { jobId: string; status: JobStatus })[]): JobChange[] {
      const written = changes.map((change) => ({
        ...{ at: 0, bulkId: null, host: "r1", caller: "k1", errorType: null, node: null },
        ...{ dryRun: null, submitterKind: null, submitter: null },
        device: null,
        attempt: change.status === "queued" ? 0 : 1,
        ...change,
        n: next++,
      }));
      log.push(...written);
      for (const change of written) jobs.set(change.jobId, change);
      for (const listener of listeners) listener();
      return written;
    },
    trimTo(n: number) {
      log = log.filter((change) => change.n >= n);
    },
    /** Replaces the database with another one, which restarts its numbering. */
    replace() {
      log = [];
      next = 1;
    },
  };
}
export type World = ReturnType<typeof createWorld>;

export const running = (jobId: string, more: Partial<JobChange> = {}) => ({
  jobId,
  status: "running" as const,
  node: "n1",
  ...more,
});

export function listening(more: Partial<Listening> = {}): Listening & { leave(): void } {
  const left = new AbortController();
  return { caller: admin, from: undefined, signal: left.signal, ...more, leave: () => left.abort() };
}

/** Reads a stream step by step, with each event abbreviated. */
export function reader(stream: AsyncGenerator<StreamEvent>) {
  const seen: string[] = [];
  return {
    seen,
    /** Reads until this event, and returns it. */
    async until(wanted: string): Promise<string[]> {
      while (!seen.includes(wanted)) {
        const { value, done } = await stream.next();
        if (done) throw new Error(`the stream ended: ${seen.join(", ")}`);
        seen.push(...briefs(value));
      }
      return seen;
    },
    /** Reads to the end. */
    async rest(): Promise<string[]> {
      for await (const event of stream) seen.push(...briefs(event));
      return seen;
    },
    close: () => stream.return(undefined),
  };
}

export function briefs(event: StreamEvent): string[] {
  switch (event.kind) {
    case "changes":
      return event.changes.map(({ n, jobId, status }) => `${n} ${jobId} ${status}`);
    case "state":
      return [`${event.job.jobId} is ${event.job.status}`];
    case "output":
      return [`${event.id} says ${event.text}`];
    case "progress":
      return [`${event.id} ${event.done}/${event.total}`];
    case "elsewhere":
      return [`${event.id} on ${event.node}`];
    case "bulk":
      return [`bulk ${JSON.stringify(event.record)}`];
    case "end":
      return [`end ${event.bulkId}`];
    case "here":
      return [];
    default:
      return [event.kind];
  }
}
