/** The interface of the scheduler: background work from start to drain, under the lease of the node. */
import type { QueueListener } from "../jobs/port.ts";
import type { NodeFence } from "../store/port.ts";

/** Claims and runs jobs, delivers webhooks, recovers jobs of dead nodes, and enforces retention. */
export interface Scheduler extends QueueListener {
  /**
   * Acquires the node lease, recovers jobs of an earlier one, and starts working. Also resolves if the store fails: it
   * keeps trying, and `notReady` reports it.
   * @throws ServiceError Unavailable if another process has the name of the node
   */
  start(): Promise<void>;
  /** The current lease; undefined if there is none, and then nothing is claimed. */
  lease(): NodeFence | undefined;
  /** Runs maintenance now. */
  sweep(): Promise<void>;
  /** Running jobs, longest first. */
  running(): readonly RunningJob[];
  /** Number of results dropped because their claim was gone. */
  dropped(): number;
  /** Stops claiming, waits for running jobs, stops them after the time, and releases the lease. Never throws. */
  drain(forMs: number): Promise<void>;
  /** Stops at once without writing to the store, like a killed process. */
  abandon(): void;
}

export interface RunningJob {
  readonly id: string;
  readonly driver: string;
  readonly operation: string;
  readonly attempt: number;
  /** Time since its claim. */
  readonly ageMs: number;
  /** Whether something was sent to the device. */
  readonly sent: boolean;
}

/** Validity of the lease by the monotonic clock; device threads check it before every write. */
export interface LeaseClock {
  /** Shared with device threads: one Float64 in monotonic milliseconds. */
  readonly validUntil: SharedArrayBuffer;
  /** Whether anything may be sent or claimed now. */
  isValid(): boolean;
  /** Remaining milliseconds. */
  leftMs(): number;
  /** @param from when the renewal was sent, in monotonic milliseconds, so that a slow one gains no time. */
  extend(from: number, forMs: number): void;
  /** Invalidates the lease. */
  end(): void;
}

/** In milliseconds. */
export interface LeaseTimes {
  /** Duration in the store. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** How long the node trusts a renewal, from when it was sent; shorter than the lease. */
  readonly validMs: number;
}
