/** Tables of webhooks: stored ones, what is still to be told to them, and the outbox of messages. */
import { sql } from "drizzle-orm";
import { boolean, index, text } from "drizzle-orm/pg-core";
import * as v from "valibot";
import { attempts, inText } from "../../tables/json.ts";
import { deliveryStates, noticeKinds } from "../../tables/words.ts";
import { jsonText, listText, type Row, sealed, table, whole } from "./columns.ts";

export const webhooks = table("webhooks", {
  name: text("name").primaryKey(),
  /** Id of the API key. */
  owner: text("owner").notNull(),
  /** Whether it is told only of the work of its owner. */
  limited: boolean("limited").notNull(),
  createdAt: whole("created_at").notNull(),
  changedAt: whole("changed_at").notNull(),
  /** Without secrets. */
  spec: jsonText("spec").notNull(),
  /** As returned by `receiverOf`. */
  receiver: text("receiver").notNull(),
  /** Plugin, options and delivery plan. */
  content: sealed("content"),
});

/** Written by triggers of the tables that they tell of while there are webhooks, and by the service. */
export const notices = table(
  "notices",
  {
    n: whole("n").primaryKey(),
    id: text("id").notNull(),
    kind: text("kind", { enum: noticeKinds }).notNull(),
    subject: text("subject").notNull(),
    at: whole("at").notNull(),
    detail: text("detail"),
  },
  (notice) => [index("notices_id").on(notice.id), index("notices_kind").on(notice.kind, notice.n)],
);

const attemptsProblem = inText((value) => v.is(attempts, value), "a JSON list of attempts");

/** Outbox of webhooks: inserted with the job, made pending in the transaction that ends it. */
export const deliveries = table(
  "deliveries",
  {
    jobId: text("job_id").primaryKey(),
    state: text("state", { enum: deliveryStates }).notNull(),
    /** Hash of the receiver's address: deliveries to one receiver are sent one after another. */
    receiver: text("receiver").notNull(),
    /** Those subscribed; null: all. */
    events: listText("events"),
    event: text("event"),
    /** Sequence number of the job's end. */
    endedN: whole("ended_n"),
    nextT: whole("next_t"),
    node: text("node"),
    generation: whole("generation"),
    claimT: whole("claim_t"),
    tries: whole("tries").notNull().default(0),
    attempts: jsonText("attempts", attemptsProblem).notNull().default("[]"),
    hook: sealed("hook"),
    /** Of a stored webhook; `job_id` is then the id of the message. */
    webhook: text("webhook"),
  },
  (delivery) => [
    index("deliveries_due").on(delivery.endedN).where(sql`state = 'pending'`),
    index("deliveries_next").on(delivery.nextT).where(sql`state = 'pending'`),
    index("deliveries_held").on(delivery.receiver).where(sql`state = 'pending' and node is not null`),
    index("deliveries_order").on(delivery.endedN),
    index("deliveries_receiver")
      .on(delivery.receiver, delivery.nextT, delivery.endedN)
      .where(sql`state = 'pending'`),
    index("deliveries_webhook").on(delivery.webhook, delivery.endedN).where(sql`webhook is not null`),
  ],
);

export type WebhookRow = Row<typeof webhooks>;
export type NoticeRow = Row<typeof notices>;
export type DeliveryRow = Row<typeof deliveries>;
