/** Tables of intents and of drift: what devices should have, and how they differ from it. Lines are masked. */
import { sql } from "drizzle-orm";
import { index, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { driftKinds, driftStates } from "../../../api/intent/intent.ts";
import { toldDrift } from "../../tables/words.ts";
import { counted, jsonText, type Row, sealed, table, whole } from "./columns.ts";

export const intents = table("intents", {
  name: text("name").primaryKey(),
  /** As it was written: its text may hold secrets. */
  own: sealed("own").notNull(),
  revision: whole("revision").notNull(),
  /** Id of the API key that wrote it: with its reach it is compared. */
  owner: text("owner").notNull(),
  changedAt: whole("changed_at").notNull(),
});

/** What a device and an intent have come to, for one version of both. */
export const driftResults = table(
  "drift_results",
  {
    /** In lower case. */
    device: text("device").notNull(),
    intent: text("intent").notNull(),
    state: text("state", { enum: driftStates }).notNull(),
    reason: text("reason"),
    /** Of the intent. */
    revision: whole("revision").notNull(),
    /** Of all that the wanted text is made of. */
    hash: text("hash").notNull(),
    /** Of the configuration: `config_versions.compare`; null: there was none. */
    compare: text("compare"),
    part: text("part").notNull(),
    version: whole("version"),
    checkedAt: whole("checked_at").notNull(),
    /** Since when it drifts. */
    since: whole("since"),
    /** JSON: states and counts by section. */
    sections: jsonText("sections").notNull(),
    /** JSON: the differences, masked; null: none. */
    changes: jsonText("changes"),
    unmatched: whole("unmatched").notNull(),
    /** The change that is to mend it. */
    fix: text("fix"),
    rounds: whole("rounds").notNull().default(0),
    /** What webhooks were told last; null: nothing yet. */
    told: text("told", { enum: toldDrift }),
    /** The change that was to mend it and did not: another round is to be drafted. */
    again: text("again"),
  },
  (result) => [
    primaryKey({ columns: [result.device, result.intent] }),
    index("drift_results_intent").on(result.intent, result.state),
    index("drift_results_again").on(result.again).where(sql`again is not null`),
  ],
);

/** Differences, each once, with how many devices have it. */
export const driftTexts = table(
  "drift_texts",
  {
    id: counted("id"),
    intent: text("intent").notNull(),
    section: text("section").notNull(),
    kind: text("kind", { enum: driftKinds }).notNull(),
    line: text("line").notNull(),
    devices: whole("devices").notNull(),
  },
  ({ intent, section, kind, line, id }) => [
    uniqueIndex("drift_texts_line").on(intent, section, kind, line),
    index("drift_texts_devices").on(sql`devices desc`, id),
    index("drift_texts_none").on(id).where(sql`devices <= 0`),
  ],
);

/** Which devices have a difference. */
export const driftLines = table(
  "drift_lines",
  {
    /** Id in `drift_texts`. */
    text: whole("text").notNull(),
    device: text("device").notNull(),
    intent: text("intent").notNull(),
  },
  (line) => [
    primaryKey({ columns: [line.text, line.device] }),
    index("drift_lines_device").on(line.device, line.intent),
  ],
);

/** Devices that are to be compared. A trigger adds those with a new version (migration `intent`). */
export const driftDue = table(
  "drift_due",
  {
    /** In lower case. */
    device: text("device").primaryKey(),
    /** Differs after each time that it was asked for. */
    mark: whole("mark").notNull(),
    /** Another node takes it no earlier. */
    takenT: whole("taken_t").notNull().default(0),
  },
  (due) => [index("drift_due_t").on(due.takenT)],
);

export type IntentRow = Row<typeof intents>;
export type DriftResultRow = Row<typeof driftResults>;
export type DriftTextRow = Row<typeof driftTexts>;
export type DriftDueRow = Row<typeof driftDue>;
