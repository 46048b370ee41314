/** The interface of the scheduler: what runs by itself, from its start to its drain, and the lease that it works under. */
import type { QueueListener } from "../queue/port.ts";
import type { NodeFence } from "../store/port.ts";

/** Claims what is queued and runs it; delivers webhooks, recovers what a dead node left, removes what is old. */
export interface Scheduler extends QueueListener {
  /**
   * Acquires the lease of the node, recovers what an earlier one left, and starts to work. Resolves also where the store
   * fails: it goes on trying, and `notReady` says so meanwhile.
   * @throws ServiceError Unavailable when another process has the node's name
   */
  start(): Promise<void>;
  /** Undefined before the first lease, and from the end of one until the next is acquired: nothing is claimed then. */
  lease(): NodeFence | undefined;
  /** Runs the upkeep now. */
  sweep(): Promise<void>;
  /** What runs now, longest first. */
  running(): readonly RunningJob[];
  /** Results that came after their claim was gone and were dropped. */
  dropped(): number;
  /** Claims nothing more, lets running jobs end within the time, then stops them and gives the lease back. Never throws. */
  drain(forMs: number): Promise<void>;
  /** Stops at once and tells the store nothing, as a killed process does. */
  abandon(): void;
}

export interface RunningJob {
  readonly id: string;
  readonly driver: string;
  readonly operation: string;
  readonly attempt: number;
  /** Since its claim. */
  readonly ageMs: number;
  /** Something was sent to its device. */
  readonly sent: boolean;
}

/** How long this node may act on its lease, by its own monotonic clock; device threads read it before every write. */
export interface LeaseClock {
  /** Shared with the device threads: one Float64, monotonic milliseconds. */
  readonly validUntil: SharedArrayBuffer;
  /** Whether anything may be sent to a device, or claimed, now. */
  isValid(): boolean;
  /** Milliseconds that are left. */
  leftMs(): number;
  /** @param from when the renewal was sent, monotonic milliseconds: a slow one does not stretch it. */
  extend(from: number, forMs: number): void;
  /** The lease is gone, from now on. */
  end(): void;
}

/** Milliseconds. */
export interface LeaseTimes {
  /** The lease in the store. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** How long this node acts on a renewal, from when it was sent: shorter than the lease. */
  readonly validMs: number;
}
