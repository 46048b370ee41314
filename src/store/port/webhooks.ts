/**
 * Stored webhooks, notices, and the outbox. A notice says what has happened and is still to be told: it is written in
 * the transaction of its cause, only if there is a webhook, and is removed in the transaction that makes its deliveries.
 */
import type { SubmitterCondition } from "../../api/jobs/job.ts";
import type { DeliveryRow, NoticeRow, WebhookRow } from "../tables/webhooks.ts";
import {
  type deliveryStates,
  driftNoticeKinds,
  historyNoticeKinds,
  singleNoticeKinds,
} from "../tables/words.ts";
import type { Actor, NewAuditEntry } from "./trail.ts";
import type { NodeFence } from "./work.ts";

/** The fields that can be changed. The content is encrypted by the store. */
export interface WebhookValues extends Omit<WebhookRow, "content" | "createdAt" | "changedAt"> {
  /** JSON text: plugin, options and delivery plan. */
  readonly content: string;
}

/** Times are milliseconds since 1970. */
export interface StoredWebhook extends Omit<WebhookRow, "content"> {
  /** Undefined: it cannot be decrypted. */
  readonly content: string | undefined;
}

export { driftNoticeKinds, historyNoticeKinds, singleNoticeKinds };
export type HistoryNoticeKind = (typeof historyNoticeKinds)[number];
export type DriftNoticeKind = (typeof driftNoticeKinds)[number];

/**
 * `subject`: id of the bulk or schedule, name of the node or webhook, number of the version or device; `detail`: a time
 * of a schedule, a sentence about a disk, what was done with the key for emergencies.
 */
export type Notice = Omit<NoticeRow, "n">;

/** One message for one webhook. */
export interface NewDelivery {
  readonly id: string;
  readonly webhook: string;
  readonly receiver: string;
  readonly event: string;
  /** JSON text; encrypted by the store. */
  readonly content: string;
}

export interface WebhookDelivery extends DeliveryState {
  readonly id: string;
  readonly event: string;
}

/**
 * Stored webhooks, and notices: what has happened and is still to be told to them. A notice is written in the
 * transaction of its cause, only if there is a webhook, and is removed in the transaction that makes its deliveries.
 */
export interface Webhooks {
  /**
   * Adds it (`isNew`) or replaces it, with its audit entry. `taken`: the name is in use; `full`: the limit is reached;
   * `gone`: there is none to replace.
   */
  put(
    webhook: WebhookValues,
    isNew: boolean,
    by: Actor,
  ): Promise<"added" | "changed" | "taken" | "full" | "gone">;
  /** By name; those of somebody, or all. */
  list(owner?: SubmitterCondition): Promise<StoredWebhook[]>;
  find(name: string): Promise<StoredWebhook | undefined>;
  /** With its messages, delivered or not. @returns whether it existed */
  remove(name: string, by: Actor): Promise<boolean>;
  /** Newest first, of each. */
  deliveriesOf(names: readonly string[], limit: number): Promise<Map<string, WebhookDelivery[]>>;

  /** Records that a test was asked for, with its audit entry. @returns the id of the notice */
  test(name: string, by: Actor): Promise<string>;
  /**
   * Records whether a condition holds, and a notice when it has begun.
   * @returns whether it is known now
   */
  observe(kind: "disk.low", subject: string, sentence: string | undefined): Promise<boolean>;

  /** Records a use of the key for emergencies: an audit entry, and a notice with the same detail. */
  noteBreakGlass(entry: NewAuditEntry, pushedTo?: string): Promise<void>;

  /** The oldest of these kinds; by default of all. */
  notices(limit: number, kinds?: readonly NoticeRow["kind"][]): Promise<Notice[]>;
  /** How often in a row the firings of a schedule have failed. */
  failuresOf(scheduleId: string): Promise<number>;
  /**
   * Makes the deliveries of a notice and removes it, unless another node was faster. A webhook with too many undelivered
   * messages gets no further one.
   */
  tell(
    notice: string,
    deliveries: readonly NewDelivery[],
    also?: {
      /** Failures in a row of a schedule from now on. */
      readonly failures?: { readonly scheduleId: string; readonly count: number } | undefined;
      /** Ids of later notices that the deliveries tell as well: they are removed with it. */
      readonly notices?: readonly string[];
    },
  ): Promise<void>;
}

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

/** The outbox of webhooks: due deliveries in the order in which jobs ended, and the results of their attempts. */
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
