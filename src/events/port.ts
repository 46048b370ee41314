/** The interface of events: what happens to jobs as a stream with a position, for whoever listens. */
import type { Caller } from "../auth/port.ts";
import type { JobStatus } from "../model/job.ts";
import type { LivePosition } from "../queue/port.ts";
import type { EventMark, JobChange } from "../store/port.ts";

export type { EventMark, JobChange } from "../store/port.ts";

/** Where a stream can be taken up again, on any node of the store. */
export interface StreamPosition {
  readonly log: EventMark;
  /** Of the output of one job. */
  readonly output?: LivePosition | undefined;
  /** The stream was told to its end. */
  readonly ended?: true | undefined;
}

export interface Listening {
  readonly caller: Caller;
  /** Absent: from now on. */
  readonly from: StreamPosition | undefined;
  readonly signal: AbortSignal;
}

/** All of it must hold. */
export interface EventFilter {
  readonly bulkId?: string | undefined;
  /** Any spelling. */
  readonly host?: string | undefined;
  /** One of these, in canonical form. */
  readonly hosts?: ReadonlySet<string> | undefined;
  readonly statuses?: readonly JobStatus[] | undefined;
}

export interface BulkWishes extends Omit<EventFilter, "bulkId"> {
  /** What devices say, too. */
  readonly output: boolean;
  /** False: counts only. */
  readonly states: boolean;
}

/** How a bulk stands, as a caller may see it. */
export interface BulkState {
  readonly record: object;
  readonly ended: boolean;
}

/**
 * Streams show only what the key may see. The first event throws ServiceError NotFound for what is not there, and
 * Unavailable when the store does not answer. They end with the signal, and where nothing more can come.
 */
export interface Events {
  /** Changes of all jobs, without an end. */
  ofAll(filter: EventFilter, listening: Listening): AsyncGenerator<StreamEvent>;
  /** Its counts as they are, then changes and counts, until it has ended. */
  ofBulk(id: string, wishes: BulkWishes, listening: Listening): AsyncGenerator<StreamEvent>;
  /** Its state as it is, then changes and what its device says, until it has ended. */
  ofJob(id: string, listening: Listening): AsyncGenerator<StreamEvent>;
}

export type StreamEvent =
  /** The same list is given to all who listen for the same: what is made of it can be kept by it. */
  | { readonly kind: "changes"; readonly changes: readonly JobChange[] }
  /** A job as it is, which is no change. */
  | { readonly kind: "state"; readonly job: Omit<JobChange, "n">; readonly position: StreamPosition }
  | {
      readonly kind: "output";
      readonly id: string;
      readonly text: string;
      /** Characters before it that are no longer kept. */
      readonly missed: number;
      /** Of the stream of one job. */
      readonly position?: StreamPosition;
    }
  /** How far a file transfer is, in bytes. */
  | { readonly kind: "progress"; readonly id: string; readonly done: number; readonly total: number }
  /** The job runs on another node. */
  | { readonly kind: "elsewhere"; readonly id: string; readonly node: string }
  | { readonly kind: "bulk"; readonly record: object }
  | { readonly kind: "end"; readonly bulkId: string; readonly position: StreamPosition }
  /** What came behind the position it was asked for is no longer kept. */
  | { readonly kind: "reset"; readonly position: StreamPosition }
  /** The listener is too far behind: this is the last event. */
  | { readonly kind: "slow" }
  /** Nothing to tell but where the stream is. */
  | { readonly kind: "here"; readonly position: StreamPosition };
