/**
 * Tables of schedules and their firings. Their times are wall clock, as in the schedules themselves; `*_t` is steady
 * time.
 */
import { sql } from "drizzle-orm";
import { boolean, index, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { firingStatuses, overlaps, scheduleStates } from "../../../api/schedules/schedule.ts";
import { jsonText, type Row, sealed, table, whole } from "./columns.ts";

export const schedules = table(
  "schedules",
  {
    id: text("id").primaryKey(),
    /** Id of the API key. */
    owner: text("owner").notNull(),
    name: text("name").notNull(),
    state: text("state", { enum: scheduleStates }).notNull(),
    why: text("why"),
    /** JSON: the schedule as submitted, without the request. */
    spec: jsonText("spec").notNull(),
    /** JSON text of the request. */
    request: sealed("request"),
    /** The time from which `every` counts. */
    anchor: whole("anchor").notNull(),
    createdAt: whole("created_at").notNull(),
    changedAt: whole("changed_at").notNull(),
    /** Increases with each change: a step planned for another revision is ignored. */
    revision: whole("revision").notNull(),
    /** The first time not decided yet, and when it fires; null if there is none. */
    nextDue: whole("next_due"),
    nextAt: whole("next_at"),
    /** The wall clock time when these were computed. */
    armedAt: whole("armed_at").notNull(),
    /** The bulk of its latest firing that has one. */
    lastBulk: text("last_bulk"),
    /** Failed firings since the last good one, counted while there are webhooks. */
    failures: whole("failures").notNull().default(0),
  },
  (schedule) => [
    uniqueIndex("schedules_name").on(schedule.owner, schedule.name),
    index("schedules_next").on(schedule.nextAt).where(sql`next_at is not null`),
    index("schedules_armed").on(schedule.armedAt).where(sql`next_at is not null`),
  ],
);

/** One row per time of a schedule; the primary key prevents a second firing, whichever node takes it. */
export const firings = table(
  "firings",
  {
    scheduleId: text("schedule_id").notNull(),
    dueAt: whole("due_at").notNull(),
    owner: text("owner").notNull(),
    status: text("status", { enum: firingStatuses }).notNull(),
    overlap: text("overlap", { enum: overlaps }).notNull(),
    manual: boolean("manual").notNull(),
    firedAt: whole("fired_at"),
    /** The node that submits it. */
    node: text("node"),
    generation: whole("generation"),
    claimT: whole("claim_t"),
    bulkId: text("bulk_id"),
    reason: text("reason"),
    /**
     * Values of the schedule when the firing was due, if the schedule has changed since; encrypted like the schedule's
     * own.
     */
    spec: jsonText("spec"),
    request: sealed("request", { table: "schedules", row: "schedule_id" }),
  },
  (firing) => [
    primaryKey({ columns: [firing.scheduleId, firing.dueAt] }),
    index("firings_open").on(firing.status).where(sql`status in ('waiting', 'submitting')`),
  ],
);

export type ScheduleRow = Row<typeof schedules>;
export type FiringRow = Row<typeof firings>;
