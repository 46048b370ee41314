/**
 * Stored webhooks, and notices: what has happened and is still to be told to them. A notice is written in the
 * transaction of its cause, only if there is a webhook, and is removed in the transaction that makes its deliveries.
 */
import type { NoticeRow, WebhookRow } from "../tables/webhooks.ts";
import type { Actor } from "./audit.ts";
import type { DeliveryState } from "./deliveries.ts";

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

/**
 * `subject`: id of the bulk or schedule, name of the node or webhook; `detail`: a time of a schedule, a sentence about
 * a disk.
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
  /** By name. */
  list(): Promise<StoredWebhook[]>;
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

  /** The oldest. */
  notices(limit: number): Promise<Notice[]>;
  /** How often in a row the firings of a schedule have failed. */
  failuresOf(scheduleId: string): Promise<number>;
  /**
   * Makes the deliveries of a notice and removes it, unless another node was faster. A webhook with too many undelivered
   * messages gets no further one.
   */
  tell(
    notice: string,
    deliveries: readonly NewDelivery[],
    failures?: { readonly scheduleId: string; readonly count: number },
  ): Promise<void>;
}
