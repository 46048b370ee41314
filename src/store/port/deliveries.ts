/** The outbox of webhooks: due deliveries in the order in which jobs ended, and the results of their attempts. */
import type { DeliveryRow } from "../tables/webhooks.ts";
import type { deliveryStates } from "../tables/words.ts";
import type { NodeFence } from "./nodes.ts";

/** The length of the prefix of a receiver's name that identifies the API key. */
export const ownerChars = 8;
const receiverChars = 32;

/**
 * Name of a receiver, per API key: deliveries of different keys to the same address do not wait for each other. Both
 * parameters are hashes.
 */
export function receiverOf(key: string, address: string): string {
  return (key.slice(0, ownerChars) + address).slice(0, receiverChars);
}

/** Deliveries follow the order of `endedN`, the number of the job's end. `tries`: attempts so far. */
export interface DueDelivery extends Pick<DeliveryRow, "jobId" | "receiver" | "tries"> {
  readonly event: string;
  readonly endedN: number;
  readonly attempts: readonly DeliveryAttempt[];
  /** JSON text; undefined if it is damaged. */
  readonly content: string | undefined;
}

export interface DeliveryAttempt {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  readonly error?: string | undefined;
}

export interface DeliveryState {
  /** `waiting` for the job's end; `skipped`: the webhook does not subscribe to this event. */
  readonly state: (typeof deliveryStates)[number];
  readonly attempts: readonly DeliveryAttempt[];
  /** Milliseconds until the next attempt. */
  readonly nextInMs: number | null;
}

export interface Deliveries {
  /**
   * Claims due deliveries in the order in which the jobs ended. One node at a time serves a receiver, so that messages
   * keep their order: receivers served by another live node, or listed in `busy`, are skipped.
   * @param full prefixes of receivers (`ownerChars` long) to skip as well
   */
  claim(
    node: NodeFence,
    busy: readonly string[],
    limit: number,
    full?: readonly string[],
  ): Promise<DueDelivery[]>;

  /**
   * Records the result of an attempt; ignored if this node no longer holds the delivery.
   * @param next milliseconds until the next attempt, or the final state
   */
  record(
    node: NodeFence,
    delivery: DueDelivery,
    attempt: DeliveryAttempt,
    next: number | "delivered" | "failed",
  ): Promise<void>;

  /** Milliseconds until the next waiting attempt; undefined if none waits. */
  nextDueMs(): Promise<number | undefined>;

  /** Number of waiting deliveries, counted up to `limit`, and the job end of the oldest, in ms since 1970. */
  waiting(limit: number): Promise<{ readonly count: number; readonly since: number | undefined }>;

  /** By job id; jobs without a webhook are omitted. */
  statesOf(jobIds: readonly string[]): Promise<Map<string, DeliveryState>>;
}
