/** The interface of stored webhooks: they tell other systems what has happened. */

import type { Body } from "../api/body.ts";
import type { WriterFilter } from "../api/filters.ts";
import type { WebhookRecord, WebhookTest } from "../api/webhooks/webhook.ts";
import type { Caller } from "../auth/port.ts";

/**
 * Scope `admin`. A key with host limits sees and changes only its own webhooks, which are told only of its own bulks
 * and schedules. All methods throw ServiceError: Forbidden, NotFound, Unavailable when the store does not answer,
 * besides what each lists.
 */
export interface Webhooks {
  /** By name, each with its newest delivery. */
  list(caller: Caller, filter?: WriterFilter): Promise<WebhookRecord[]>;
  /** With its latest deliveries. */
  read(name: string, caller: Caller): Promise<WebhookRecord>;
  /** @throws ServiceError Validation, PayloadTooLarge, TooManyRequests (there are too many), Conflict (of the name) */
  add(body: Body, caller: Caller): Promise<WebhookRecord>;
  /** Changes the given fields; null removes one. @throws ServiceError Validation, PayloadTooLarge */
  change(name: string, body: Body, caller: Caller): Promise<WebhookRecord>;
  remove(name: string, caller: Caller): Promise<string>;
  /** Sends a message of its form, even if it is not enabled. */
  test(name: string, caller: Caller): Promise<WebhookTest>;
}
