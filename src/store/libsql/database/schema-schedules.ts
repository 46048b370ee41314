/** Tables of schedules and their firings. Times of both are wall-clock time, which is what a schedule means; `*_t` is steady. */
import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { firingStatuses, overlaps, scheduleStates } from "../../../model/schedule.ts";

const sealed = (name: string) => blob(name, { mode: "buffer" });

export const schedules = sqliteTable(
  "schedules",
  {
    id: text("id").primaryKey(),
    /** Id of the API key. */
    owner: text("owner").notNull(),
    name: text("name").notNull(),
    state: text("state", { enum: scheduleStates }).notNull(),
    why: text("why"),
    /** JSON: what was asked for, without the request. */
    spec: text("spec").notNull(),
    /** JSON text of the request. */
    request: sealed("request"),
    /** From where `every` counts. */
    anchor: integer("anchor").notNull(),
    createdAt: integer("created_at").notNull(),
    changedAt: integer("changed_at").notNull(),
    /** One more with each change: a plan that was made of another one is not taken. */
    revision: integer("revision").notNull(),
    /** The first time that nothing was decided of, and when it fires; null: none. */
    nextDue: integer("next_due"),
    nextAt: integer("next_at"),
    /** What the clock showed when these were set. */
    armedAt: integer("armed_at").notNull(),
    /** Of its newest firing that has one. */
    lastBulk: text("last_bulk"),
  },
  (schedule) => [
    uniqueIndex("schedules_name").on(schedule.owner, schedule.name),
    index("schedules_next").on(schedule.nextAt).where(sql`next_at is not null`),
    index("schedules_armed").on(schedule.armedAt).where(sql`next_at is not null`),
  ],
);

/** One row for each time of a schedule: there is no second one, whoever takes it. */
export const firings = sqliteTable(
  "firings",
  {
    scheduleId: text("schedule_id").notNull(),
    dueAt: integer("due_at").notNull(),
    owner: text("owner").notNull(),
    status: text("status", { enum: firingStatuses }).notNull(),
    overlap: text("overlap", { enum: overlaps }).notNull(),
    manual: integer("manual", { mode: "boolean" }).notNull(),
    firedAt: integer("fired_at"),
    /** Who is about to submit it. */
    node: text("node"),
    generation: integer("generation"),
    claimT: integer("claim_t"),
    bulkId: text("bulk_id"),
    reason: text("reason"),
    /** As they were when it was due, where the schedule was changed since; sealed as the schedule's own. */
    spec: text("spec"),
    request: sealed("request"),
  },
  (firing) => [
    primaryKey({ columns: [firing.scheduleId, firing.dueAt] }),
    index("firings_open").on(firing.status).where(sql`status in ('waiting', 'submitting')`),
  ],
);
