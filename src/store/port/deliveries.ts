/** The outbox of webhooks: what is due, in the order in which jobs ended, and what came of each attempt. */
import type { NodeFence } from "./nodes.ts";

/** How many characters of a receiver's name say whose key asked for it. */
export const ownerChars = 8;
const receiverChars = 32;

/** A receiver is one of one key: what another key sends to the same address does not wait for it. Both are hashes. */
export function receiverOf(key: string, address: string): string {
  return (key.slice(0, ownerChars) + address).slice(0, receiverChars);
}

export interface DueDelivery {
  readonly jobId: string;
  /** As `receiverOf` names it. */
  readonly receiver: string;
  readonly event: string;
  /** Counts the jobs as they ended: receivers are told in this order. */
  readonly endedN: number;
  /** Attempts so far. */
  readonly tries: number;
  readonly attempts: readonly DeliveryAttempt[];
  /** JSON text; undefined: it was damaged. */
  readonly content: string | undefined;
}

export interface DeliveryAttempt {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly error?: string | undefined;
}

export const deliveryStates = ["waiting", "pending", "delivered", "failed", "skipped"] as const;

export interface DeliveryState {
  /** `waiting` for the job's end; `skipped`: the receiver did not want this event. */
  readonly state: (typeof deliveryStates)[number];
  readonly attempts: readonly DeliveryAttempt[];
  /** Milliseconds until the next attempt. */
  readonly nextInMs: number | null;
}

export interface Deliveries {
  /**
   * Takes what is due, first ended first. A receiver is served by one node at a time, so that its messages keep their
   * order; one that another live node or `busy` serves is left out.
   * @param full beginnings of receivers, of `ownerChars`, that are left out, too.
   */
  claim(
    node: NodeFence,
    busy: readonly string[],
    limit: number,
    full?: readonly string[],
  ): Promise<DueDelivery[]>;

  /**
   * What came of an attempt; it counts only while this node holds the delivery.
   * @param next milliseconds until the next attempt; `delivered` or `failed` when there is none.
   */
  record(
    node: NodeFence,
    due: DueDelivery,
    attempt: DeliveryAttempt,
    next: number | "delivered" | "failed",
  ): Promise<void>;

  /** Milliseconds until the next attempt that waits; undefined when none does. */
  nextDueMs(): Promise<number | undefined>;

  /** How many wait, up to `most`, and when the job of the first of them ended, in milliseconds since 1970. */
  waiting(most: number): Promise<{ readonly count: number; readonly since: number | undefined }>;

  /** By id of the job; jobs without a webhook are left out. */
  statesOf(jobIds: readonly string[]): Promise<Map<string, DeliveryState>>;
}
