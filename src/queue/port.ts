/** What is told across the queue: those who submit tell those who run, without knowing them. */
import type { QueueStrategy } from "../model/job.ts";
import type { WorkerState } from "../store/port.ts";

/** A queued job as far as the order of claims needs it. */
export interface QueuedJob {
  readonly lane: string;
  readonly strategy: QueueStrategy;
  readonly bulkId: string | null;
  /** Id of the API key. */
  readonly caller: string;
}

/** Whoever runs what is queued: the scheduler of this node. */
export interface QueueListener {
  /** Jobs wait; they are with the writer, and what is written now comes after them. */
  onQueued(jobs: readonly QueuedJob[]): void;
  /** Stops jobs that run on this node. */
  onStop(ids: readonly string[]): void;
  /** A webhook became due. */
  onEnded(): void;
  /** Workers of this node as they are now. */
  ownWorkers(): readonly WorkerState[];
  /** Stops workers of this node; their jobs fail as WorkerLost. */
  onStopWorkers(names: readonly string[]): void;
  /** Why no work is taken, one sentence each: it drains, its lease is lost. Empty when it is. */
  notReady(): readonly string[];
}
