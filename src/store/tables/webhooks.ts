/** Tables of stored webhooks, and of what is still to be told to them. */
import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { noticeKinds } from "../port.ts";

export const webhooks = sqliteTable("webhooks", {
  name: text("name").primaryKey(),
  /** Id of the API key. */
  owner: text("owner").notNull(),
  /** Whether it is told only of the work of its owner. */
  limited: integer("limited", { mode: "boolean" }).notNull(),
  createdAt: integer("created_at").notNull(),
  changedAt: integer("changed_at").notNull(),
  /** JSON, without secrets. */
  spec: text("spec").notNull(),
  receiver: text("receiver").notNull(),
  /** Plugin, options and delivery plan. */
  content: blob("content", { mode: "buffer" }),
});

/** Written by triggers of `jobs`, `firings` and `schedules` while there are webhooks, and by the service. */
export const notices = sqliteTable("notices", {
  n: integer("n").primaryKey(),
  id: text("id").notNull(),
  kind: text("kind", { enum: noticeKinds }).notNull(),
  subject: text("subject").notNull(),
  at: integer("at").notNull(),
  detail: text("detail"),
});
