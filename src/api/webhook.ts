/** Webhooks that an operator stores: which events go where, and in which form. */
import * as v from "valibot";
import { members } from "../base/json/objects.ts";
import { readStrict } from "./strict.ts";

export const webhookLimits = {
  /** Maximum number of webhooks. */
  most: 100,
  /** Maximum body size in bytes. */
  maxBytes: 64 * 1024,
  /** Undelivered messages per webhook: further ones are dropped. */
  waiting: 1_000,
  /** Delivered and failed messages whose result is kept per webhook. */
  kept: 20,
} as const;

/** All events, with what each means. */
export const webhookEvents = {
  "bulk.ended": "the last job of a bulk has ended",
  "schedule.failed":
    "a firing submitted nothing, or a job of its bulk failed or was cancelled, or the schedule was stopped",
  "schedule.recovered": "the first firing after a failure whose jobs all finished",
  "disk.low": "a disk of a node is nearly full; once, until there is space again",
} as const;
export type WebhookEventName = keyof typeof webhookEvents;
/** Sent by a test, whatever the webhook subscribes to. */
export const testEvent = "webhook.test";
export type SentEvent = WebhookEventName | typeof testEvent;
// Object.keys loses the names.
export const webhookEventNames = Object.keys(webhookEvents) as WebhookEventName[];

export const webhookFormats = ["json", "slack", "teams", "mail"] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

const plain = (most: number) =>
  v.pipe(
    v.string("must be a string"),
    v.nonEmpty("must not be empty"),
    v.maxLength(most, `must have at most ${most} characters`),
    v.regex(/^[^\0-\x1f\x7f]*$/, "must not hold control characters"),
  );
const webhookName = v.pipe(
  v.string("must be a string"),
  v.regex(/^[A-Za-z0-9][\w.-]{0,63}$/, "must be up to 64 letters, digits, `.`, `_` and `-`"),
);
const field = <const S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema));

const fields = {
  name: webhookName,
  /** As `options.webhook` of a job: the plugin's name and its options, with secrets. */
  config: members,
  events: v.pipe(
    v.array(v.picklist(webhookEventNames, `must be among ${webhookEventNames.join(", ")}`)),
    v.nonEmpty("must not be empty: it would never be told"),
    v.maxLength(webhookEventNames.length, "names an event twice"),
  ),
  format: v.optional(v.picklist(webhookFormats, `must be one of ${webhookFormats.join(", ")}`), "json"),
  enabled: v.optional(v.boolean("must be true or false"), true),
  /** Base of links in messages. */
  console_url: field(
    v.pipe(
      plain(500),
      v.regex(/^https?:\/\//i, "must begin with http:// or https://"),
      v.check((text) => URL.canParse(text), "must be a URL"),
    ),
  ),
  /** Members of messages in the format `mail`. */
  to: field(plain(500)),
  from: field(plain(500)),
};

/** Body of POST /webhook. */
export const newWebhook = v.strictObject(fields);
/** Issues never repeat a value: it may be a secret. */
export const readNewWebhook = (value: unknown) => readStrict(newWebhook, value);
/** Body of PATCH /webhook/{name}: absent fields stay, null removes one. */
export const webhookChange = v.strictObject({
  config: v.optional(fields.config),
  events: v.optional(fields.events),
  format: v.optional(fields.format.wrapped),
  enabled: v.optional(fields.enabled.wrapped),
  console_url: fields.console_url,
  to: fields.to,
  from: fields.from,
});

export const readChange = (value: unknown) => readStrict(webhookChange, value);

/** The stored form without `config`, which is encrypted. */
const webhookSpec = v.object({
  ...v.omit(v.object(fields), ["name", "config"]).entries,
  /** What may be shown of `config`. */
  receiver: v.string(),
  signed: v.boolean(),
});
export type WebhookSpec = v.InferOutput<typeof webhookSpec>;

/** Parses the stored form. */
export function readSpec(json: string): WebhookSpec {
  return v.parse(webhookSpec, JSON.parse(json));
}

export interface WebhookRecord {
  name: string;
  /** Scheme, host and port of its address: the path may be a secret. */
  receiver: string;
  /** Whether messages are signed. */
  signed: boolean;
  events: WebhookEventName[];
  format: WebhookFormat;
  enabled: boolean;
  console_url?: string;
  to?: string;
  from?: string;
  owner: { key_id: string; name: string };
  created_at: string;
  changed_at: string;
  /** Newest first; in lists only the newest. */
  deliveries: WebhookDeliveryRecord[];
}

export interface WebhookDeliveryRecord {
  /** The same for each attempt; part of a message in the format `json`. */
  id: string;
  event: string;
  state: "pending" | "delivered" | "failed";
  attempts: { at: string; status: number | null; error?: string }[];
}
