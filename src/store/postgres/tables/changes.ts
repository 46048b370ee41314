/** Tables of changes: what is planned, who agreed, what happened, and the state of each device. */
import { sql } from "drizzle-orm";
import { boolean, index, primaryKey, text } from "drizzle-orm/pg-core";
import { changePhases, changeStates, targetStates, verdicts } from "../../../api/changes/change.ts";
import { changeOrigins } from "../../../api/changes/change-policy.ts";
import { submitterKinds } from "../../../api/jobs/job.ts";
import { jsonText, type Row, sealed, table, whole } from "./columns.ts";

export const changes = table(
  "changes",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    /** Id of the key or person with whose rights it runs. */
    holder: text("holder").notNull(),
    submitterKind: text("submitter_kind", { enum: submitterKinds }).notNull(),
    submitter: text("submitter").notNull(),
    ticket: text("ticket"),
    state: text("state", { enum: changeStates }).notNull(),
    reason: text("reason"),
    /** Counts edits and plans. */
    revision: whole("revision").notNull(),
    hash: text("hash"),
    /** Increases with everything that happens to it: whoever moves it on must have read the last one. */
    step: whole("step").notNull(),
    wave: whole("wave").notNull(),
    /** Counts the attempts to return it. */
    round: whole("round").notNull(),
    phase: text("phase", { enum: changePhases }),
    /**
     * Positions between which the devices of the phase are at work, if one bulk cannot hold them all: after the first, up
     * to the second; null: from the start, to the end. A return goes from the last device to the first.
     */
    sliceFrom: whole("slice_from"),
    sliceTo: whole("slice_to"),
    dueAt: whole("due_at"),
    /** The lease of the node that is at work until then, as name and generation; null: it only waits. */
    claimedBy: text("claimed_by"),
    createdAt: whole("created_at").notNull(),
    startedAt: whole("started_at"),
    endedAt: whole("ended_at"),
    expiresAt: whole("expires_at"),
    /** Votes that it needs. */
    needed: whole("needed").notNull(),
    /** What the plan decided, beside the targets. */
    plan: jsonText("plan"),
    /** What the gates said last. */
    judging: jsonText("judging"),
    /** The rehearsal that was begun last, with its plan. */
    rehearsal: jsonText("rehearsal"),
    request: sealed("request").notNull(),
    /** Null: a person, a key or a schedule. */
    origin: text("origin", { enum: changeOrigins }),
    /** The recipe and its run that drafted it; null: none. */
    recipe: text("recipe"),
    recipeRun: text("recipe_run"),
    /** Of a proposal: SHA-256 of what a repeat has again, and of its arguments. */
    proposal: text("proposal"),
    proposed: text("proposed"),
  },
  (change) => [
    index("changes_proposal").on(change.holder, change.proposal).where(sql`proposal is not null`),
    index("changes_open").on(change.state).where(sql`ended_at is null`),
  ],
);

/** The different texts that the devices of a change get. */
export const changeTexts = table(
  "change_texts",
  {
    changeId: text("change_id").notNull(),
    sha256: text("sha256").notNull(),
    revision: whole("revision").notNull(),
    lines: sealed("lines").notNull(),
  },
  (stored) => [primaryKey({ columns: [stored.changeId, stored.sha256] })],
);

export const changeTargets = table(
  "change_targets",
  {
    changeId: text("change_id").notNull(),
    /** In the order of the waves. */
    position: whole("position").notNull(),
    /** As the inventory writes it. */
    device: text("device").notNull(),
    host: text("host").notNull(),
    wave: whole("wave").notNull(),
    state: text("state", { enum: targetStates }).notNull(),
    reason: text("reason"),
    sha256: text("sha256").notNull(),
    /** Lines may be on the device. */
    touched: boolean("touched"),
    beforeVersion: whole("before_version"),
    afterVersion: whole("after_version"),
    jobId: text("job_id"),
    returnJobId: text("return_job_id"),
    /** Of a push that waits in the device for a word; null: no timer of ours runs there. */
    open: jsonText("open"),
  },
  (target) => [
    primaryKey({ columns: [target.changeId, target.position] }),
    index("change_targets_device").on(target.device),
  ],
);

/** What the rehearsal of a device's lines said, of the plan that is there now. */
export const changeRehearsals = table(
  "change_rehearsals",
  {
    changeId: text("change_id").notNull(),
    /** In lower case. */
    device: text("device").notNull(),
    jobId: text("job_id").notNull(),
    /** How many lines have each grade. */
    grades: jsonText("grades").notNull(),
    /** Lines that will probably be refused. */
    refusals: whole("refusals").notNull(),
    /** The version of its configuration that was foretold from; null: none. */
    version: whole("version"),
    at: whole("at").notNull(),
  },
  (rehearsed) => [primaryKey({ columns: [rehearsed.changeId, rehearsed.device] })],
);

export const changeVotes = table(
  "change_votes",
  {
    changeId: text("change_id").notNull(),
    revision: whole("revision").notNull(),
    personId: text("person_id").notNull(),
    person: text("person").notNull(),
    verdict: text("verdict", { enum: verdicts }).notNull(),
    note: text("note"),
    at: whole("at").notNull(),
    /** Of the plan; null: of an earlier version of the service. */
    hash: text("hash"),
  },
  (vote) => [primaryKey({ columns: [vote.changeId, vote.revision, vote.personId] })],
);

/** What happened, in order. */
export const changeSteps = table(
  "change_steps",
  {
    changeId: text("change_id").notNull(),
    n: whole("n").notNull(),
    at: whole("at").notNull(),
    what: text("what").notNull(),
    who: text("who"),
    detail: text("detail"),
  },
  (step) => [primaryKey({ columns: [step.changeId, step.n] })],
);

/** The steps of all changes in the order in which they were stored. Triggers write it (migration `change_events`). */
export const changeEvents = table(
  "change_events",
  {
    n: whole("n").primaryKey(),
    changeId: text("change_id").notNull(),
    step: whole("step").notNull(),
    at: whole("at").notNull(),
    /** Null: a step that only the list of steps tells. */
    event: text("event"),
    /** What it led to. */
    state: text("state", { enum: changeStates }).notNull(),
    wave: whole("wave").notNull(),
  },
  (event) => [index("change_events_change").on(event.changeId, event.n)],
);

export type ChangeRow = Row<typeof changes>;
export type ChangeTargetRow = Row<typeof changeTargets>;
export type ChangeRehearsalRow = Row<typeof changeRehearsals>;
export type ChangeVoteRow = Row<typeof changeVotes>;
export type ChangeStepRow = Row<typeof changeSteps>;
export type ChangeEventRow = Row<typeof changeEvents>;
