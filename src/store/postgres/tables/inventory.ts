/** Tables of the inventory and its sources. Devices and groups are encrypted; plain columns are only those used for lookups. */
import { sql } from "drizzle-orm";
import { index, text } from "drizzle-orm/pg-core";
import * as v from "valibot";
import { readRun } from "../../../api/inventory/inventory-source.ts";
import { inText } from "../../tables/json.ts";
import { counted, jsonText, type Row, sealed, table, whole } from "./columns.ts";

/** A single row. */
export const inventoryState = table("inventory_state", {
  id: whole("id").primaryKey(),
  revision: whole("revision").notNull(),
  /** Rows of removed entries have been deleted up to this revision. */
  purged: whole("purged").notNull().default(0),
});

/** The writes that made the latest revisions, so that a write whose response was lost recognizes its own. */
export const inventoryWrites = table("inventory_writes", {
  revision: whole("revision").primaryKey(),
  token: text("token").notNull(),
});

const columns = {
  /** In lower case. */
  name: text("name").primaryKey(),
  hostKey: text("host_key").notNull(),
  group: text("group_name"),
  source: text("source"),
  changedAt: whole("changed_at").notNull(),
  revision: whole("revision").notNull(),
  /** Null: removed; the row is kept for a while so that other nodes notice. */
  own: sealed("own"),
};

export const inventoryGroups = table("inventory_groups", columns, (group) => [
  index("inventory_groups_revision").on(group.revision, group.name),
  index("inventory_groups_removed").on(group.changedAt).where(sql`own is null`),
]);

export const inventoryDevices = table("inventory_devices", columns, (device) => [
  index("inventory_devices_revision").on(device.revision, device.name),
  index("inventory_devices_removed").on(device.changedAt).where(sql`own is null`),
]);

/** Facts learned by connecting to devices. A trigger deletes them with the device. */
export const deviceFacts = table(
  "device_facts",
  {
    name: text("name").primaryKey(),
    seenAt: whole("seen_at"),
    loginFailedAt: whole("login_failed_at"),
    /** Error type. */
    loginError: text("login_error"),
    /** When they were read. */
    factsAt: whole("facts_at"),
    /** Increases with each discovery; null if there was none. */
    revision: whole("revision"),
    facts: sealed("facts"),
  },
  (device) => [index("device_facts_revision").on(device.revision)],
);

const sourceProblem = inText(
  (value) => v.is(v.looseObject({ name: v.string() }), value),
  "an inventory source in JSON",
);
const runProblem = inText((value) => readRun(value) !== undefined, "a sync run in JSON");

export const inventorySources = table("inventory_sources", {
  /** In lower case. */
  name: text("name").primaryKey(),
  changedAt: whole("changed_at").notNull(),
  /** As `madeBy` of a key. */
  writtenBy: text("written_by"),
  own: jsonText("own", sourceProblem).notNull(),
});

export const inventorySourceRuns = table(
  "inventory_source_runs",
  {
    id: counted("id"),
    source: text("source").notNull(),
    run: jsonText("run", runProblem).notNull(),
  },
  (run) => [index("inventory_source_runs_source").on(run.source, run.id)],
);

export type InventoryRow = Row<typeof inventoryDevices>;
export type FactsRow = Row<typeof deviceFacts>;
