/** The interface of events: job changes as resumable streams. */

import type { JobStatus } from "../api/jobs/job.ts";
import type { LiveStatus } from "../api/jobs/live-event.ts";
import type { Caller } from "../auth/port.ts";
import type { EventMark, JobChange } from "../store/port.ts";
import type { LivePosition } from "./notices.ts";

export type { EventMark, JobChange } from "../store/port.ts";

/** Where a stream can be resumed, on any node of the store. */
export interface StreamPosition {
  readonly log: EventMark;
  /** Position in the live output of a job. */
  readonly output?: LivePosition;
  /** The stream was delivered completely. */
  readonly ended?: true;
}

export interface Listening {
  readonly caller: Caller;
  /** Undefined: starts now. */
  readonly from: StreamPosition | undefined;
  readonly signal: AbortSignal;
}

/** All conditions must match. */
export interface EventFilter {
  readonly bulkId?: string;
  /** In any spelling. */
  readonly host?: string;
  /** Canonical hosts, one of which must match. */
  readonly hosts?: ReadonlySet<string>;
  readonly statuses?: readonly JobStatus[];
}

export interface BulkWishes extends Omit<EventFilter, "bulkId"> {
  /** Includes live output. */
  readonly output: boolean;
  /** If false, counts only. */
  readonly states: boolean;
}

/** The state of a bulk as visible to the caller. */
export interface BulkState {
  readonly record: object;
  readonly ended: boolean;
}

/**
 * Streams contain only what the key may see. Getting the first event throws ServiceError NotFound, or Unavailable when
 * the store does not answer. Streams end with the signal, or when nothing more can happen.
 */
export interface Events {
  /** Endless changes of all jobs. */
  ofAll(filter: EventFilter, listening: Listening): AsyncGenerator<StreamEvent>;
  /** The current counts, then changes and counts until the bulk has ended. */
  ofBulk(id: string, wishes: BulkWishes, listening: Listening): AsyncGenerator<StreamEvent>;
  /** The current state, then changes and live output until the job has ended. */
  ofJob(id: string, listening: Listening): AsyncGenerator<StreamEvent>;
}

export type StreamEvent =
  /** Listeners with the same filter share the array, so derived data can be cached by it. */
  | { readonly kind: "changes"; readonly changes: readonly JobChange[] }
  /** The current state of a job, not a change. */
  | { readonly kind: "state"; readonly job: Omit<JobChange, "n">; readonly position: StreamPosition }
  | LiveStreamEvent
  /** The job runs on another node. */
  | { readonly kind: "elsewhere"; readonly id: string; readonly node: string }
  | { readonly kind: "bulk"; readonly record: object }
  | { readonly kind: "end"; readonly bulkId: string; readonly position: StreamPosition }
  /** Entries after the requested position are no longer kept. */
  | { readonly kind: "reset"; readonly position: StreamPosition }
  /** The listener fell too far behind; this is the last event. */
  | { readonly kind: "slow" }
  /** Keep-alive with the current position. */
  | { readonly kind: "here"; readonly position: StreamPosition };

/** A live event of a job. */
export type LiveStreamEvent =
  | {
      readonly kind: "output";
      readonly id: string;
      readonly text: string;
      /** Number of preceding characters that are no longer kept. */
      readonly missed: number;
      /** For the stream of a job. */
      readonly position?: StreamPosition;
    }
  | (LiveStatus & { readonly id: string });
