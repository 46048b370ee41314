/** Tables of intents and of drift: what devices should have, and how they differ from it. Lines are masked. */
import { index, integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { driftKinds, driftStates } from "../../api/intent.ts";
import { jsonText, type Row, sealed, table } from "./columns.ts";

export const intents = table("intents", {
  name: text("name").primaryKey(),
  /** As it was written: its text may hold secrets. */
  own: sealed("own").notNull(),
  revision: integer("revision").notNull(),
  /** Id of the API key that wrote it: with its reach it is compared. */
  owner: text("owner").notNull(),
  changedAt: integer("changed_at").notNull(),
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
    revision: integer("revision").notNull(),
    /** Of all that the wanted text is made of. */
    hash: text("hash").notNull(),
    /** Of the configuration: `config_versions.compare`; null: there was none. */
    compare: text("compare"),
    part: text("part").notNull(),
    version: integer("version"),
    checkedAt: integer("checked_at").notNull(),
    /** Since when it drifts. */
    since: integer("since"),
    /** JSON: states and counts by section. */
    sections: jsonText("sections").notNull(),
    /** JSON: the differences, masked; null: none. */
    changes: jsonText("changes"),
    unmatched: integer("unmatched").notNull(),
    /** The change that is to mend it. */
    fix: text("fix"),
    rounds: integer("rounds").notNull().default(0),
  },
  (result) => [
    primaryKey({ columns: [result.device, result.intent] }),
    index("drift_results_intent").on(result.intent, result.state),
  ],
);

/** Differences one by one, to count the same one on many devices. */
export const driftLines = table(
  "drift_lines",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    device: text("device").notNull(),
    intent: text("intent").notNull(),
    section: text("section").notNull(),
    kind: text("kind", { enum: driftKinds }).notNull(),
    line: text("line").notNull(),
  },
  (line) => [
    index("drift_lines_device").on(line.device, line.intent),
    index("drift_lines_line").on(line.intent, line.section, line.kind, line.line),
  ],
);

/** Devices that are to be compared. A trigger adds those with a new version (migration `intent`). */
export const driftDue = table(
  "drift_due",
  {
    /** In lower case. */
    device: text("device").primaryKey(),
    /** Differs after each time that it was asked for. */
    mark: integer("mark").notNull(),
    /** Another node takes it no earlier. */
    takenT: integer("taken_t").notNull().default(0),
  },
  (due) => [index("drift_due_t").on(due.takenT)],
);

export type IntentRow = Row<typeof intents>;
export type DriftResultRow = Row<typeof driftResults>;
export type DriftLineRow = Row<typeof driftLines>;
export type DriftDueRow = Row<typeof driftDue>;
