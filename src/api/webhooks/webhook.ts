/** Webhooks that an operator stores: which events go where, and in which form. */
import * as v from "valibot";
import { members } from "../../base/json/objects.ts";
import { thousands } from "../../base/text/thousands.ts";
import { changeEvents } from "../changes/change.ts";
import { nameForm, plainText } from "../forms.ts";
import { described, field, integer, moment, named, text, type Unchanged } from "../schema.ts";
import { readForm } from "../stored-form.ts";
import { readStrict } from "../strict.ts";

export const webhookLimits = {
  /** Maximum number of webhooks. */
  most: 100,
  /** Maximum body size in bytes. */
  maxBytes: 64 * 1024,
  /** Undelivered messages per webhook: further ones are dropped. */
  waiting: 1_000,
  /** Delivered and failed messages whose result is kept per webhook. */
  kept: 20,
  /** Messages of one kind about configurations that are sent singly per minute by each node; further ones are sent together. */
  singly: 20,
  /** Characters of a difference. */
  differenceChars: 20_000,
} as const;

/** All events, with what each means. */
export const webhookEvents = {
  "bulk.ended": "the last job of a bulk has ended",
  "schedule.failed":
    "a firing submitted nothing, or a job of its bulk failed or was cancelled, or the schedule was stopped",
  "schedule.recovered": "the first firing after a failure whose jobs all finished",
  "history.changed": "the running configuration of a device is another than before",
  "history.suspect":
    "a text that was read of a device is not whole: it is kept, and never used as the latest",
  "history.failed": "the configuration of a device could not be read; once, until it was read again",
  "drift.found": "the configuration of a device is not what an intent says",
  "drift.gone": "it is what the intent says, after it was not or could not be judged",
  "drift.unknown":
    "a device cannot be judged: it was not read well for too long, its last text is not whole, or its intent fails",
  "drift.needs_person":
    "a device still drifts after three fixes: no other one is drafted before its intent is changed",
  ...changeEvents,
  "recipe.proposed": "an agent proposes a run of a recipe: a person has to accept or refuse it",
  "break_glass.used":
    "the key for emergencies is in use: the first request of a session or an hour, and each change",
  "disk.low": "a disk of a node is nearly full; once, until there is space again",
  "ledger.checkpoint":
    "a checkpoint of the ledger was signed: keep it, it shows later what was in the ledger now",
} as const;
export type WebhookEventName = keyof typeof webhookEvents;
/** Sent by a test, whatever the webhook subscribes to. */
export const testEvent = "webhook.test";
export type SentEvent = WebhookEventName | typeof testEvent;
// Object.keys loses the names.
export const webhookEventNames = Object.keys(webhookEvents) as WebhookEventName[];

export const webhookFormats = ["json", "slack", "teams", "mail"] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

const webhookName = v.pipe(v.string("must be a string"), v.regex(...nameForm));

const format = v.picklist(webhookFormats, `must be one of ${webhookFormats.join(", ")}`);
const truth = v.boolean("must be true or false");

const fields = {
  name: described(webhookName, "Name of the webhook"),
  config: described(
    members,
    "As `options.webhook` of a job: the plugin's name and its options, with secrets",
  ),
  events: described(
    v.pipe(
      v.array(v.picklist(webhookEventNames, `must be among ${webhookEventNames.join(", ")}`)),
      v.nonEmpty("must not be empty: it would never be told"),
      v.maxLength(webhookEventNames.length, "names an event twice"),
    ),
    "Events that it is told of",
  ),
  format: v.optional(described(format, "Form of its messages"), "json"),
  enabled: v.optional(described(truth, "`false`: it is told of nothing but tests"), true),
  difference: v.optional(
    described(
      truth,
      `With the changed lines of a configuration, secrets masked, up to ${thousands(webhookLimits.differenceChars)} characters`,
    ),
    false,
  ),
  console_url: field(
    described(
      v.pipe(
        plainText(500),
        v.regex(/^https?:\/\//i, "must begin with http:// or https://"),
        v.check((text) => URL.canParse(text), "must be a URL"),
      ),
      "Address of the console, for links in messages",
    ),
  ),
  to: field(described(plainText(500), "Member of messages in the format `mail`")),
  from: field(described(plainText(500), "Member of messages in the format `mail`")),
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
  difference: v.optional(fields.difference.wrapped),
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

const partialSpec = v.partial(webhookSpec);
export const readSpec = (json: string) => readForm(webhookSpec, partialSpec, json);

export const webhookDelivery = named(
  "WebhookDelivery",
  v.object({
    id: described(text, "The same for each attempt; in messages of the format `json`"),
    event: text,
    state: v.picklist(["pending", "delivered", "failed"]),
    attempts: v.array(
      v.object({
        at: moment,
        status: described(v.nullable(integer), "HTTP status"),
        error: v.exactOptional(text),
      }),
    ),
  }),
);

export const webhookStates = ["active", "disabled", "stopped"] as const;

export const webhookRecord = named(
  "StoredWebhook",
  v.object({
    name: text,
    state: described(
      v.picklist(webhookStates),
      "`stopped`: it is told of nothing until what `why` says is mended",
    ),
    why: v.exactOptional(
      described(
        text,
        "Why it is stopped: its key, its `config`, or which fields this version cannot read: those are absent",
      ),
    ),
    receiver: v.exactOptional(
      described(text, "Scheme, host and port of its address: the path may be a secret"),
    ),
    signed: v.exactOptional(described(v.boolean(), "Whether `config` has a `secret`")),
    events: v.exactOptional(v.array(v.picklist(webhookEventNames))),
    format: v.exactOptional(v.picklist(webhookFormats)),
    enabled: v.exactOptional(v.boolean()),
    difference: v.exactOptional(v.boolean()),
    console_url: v.exactOptional(text),
    to: v.exactOptional(text),
    from: v.exactOptional(text),
    owner: described(
      v.object({ kind: v.picklist(["key", "person"]), key_id: text, name: text }),
      "The API key or person that gave its address; `key_id` is the id of either",
    ),
    created_at: moment,
    changed_at: moment,
    deliveries: described(v.array(webhookDelivery), "Newest first; in a list only the newest"),
  }),
);
export type WebhookRecord = Unchanged<v.InferOutput<typeof webhookRecord>>;

/** Answer of POST /webhook/{name}/test. */
export const webhookTest = named(
  "WebhookTest",
  v.object({ delivery: described(text, "Id of its delivery") }),
);
export type WebhookTest = Unchanged<v.InferOutput<typeof webhookTest>>;
