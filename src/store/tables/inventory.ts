/** Tables of the inventory. Devices and groups are encrypted; plain columns are only those used for lookups. */
import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

const sealed = (name: string) => blob(name, { mode: "buffer" });

/** A single row. */
export const inventoryState = sqliteTable("inventory_state", {
  id: integer("id").primaryKey(),
  revision: integer("revision").notNull(),
  /** Rows of removed entries have been deleted up to this revision. */
  purged: integer("purged").notNull().default(0),
});

/** The writes that made the latest revisions, so that a write whose response was lost recognizes its own. */
export const inventoryWrites = sqliteTable("inventory_writes", {
  revision: integer("revision").primaryKey(),
  token: text("token").notNull(),
});

const columns = {
  /** In lower case. */
  name: text("name").primaryKey(),
  hostKey: text("host_key").notNull(),
  group: text("group_name"),
  source: text("source"),
  changedAt: integer("changed_at").notNull(),
  revision: integer("revision").notNull(),
  /** Null: removed; the row is kept for a while so that other nodes notice. */
  own: sealed("own"),
};

export const inventoryGroups = sqliteTable("inventory_groups", columns, (group) => [
  index("inventory_groups_revision").on(group.revision, group.name),
  index("inventory_groups_removed").on(group.changedAt).where(sql`own is null`),
]);

export const inventoryDevices = sqliteTable("inventory_devices", columns, (device) => [
  index("inventory_devices_revision").on(device.revision, device.name),
  index("inventory_devices_removed").on(device.changedAt).where(sql`own is null`),
]);

/** Facts learned by connecting to devices. A trigger deletes them with the device. */
export const deviceFacts = sqliteTable(
  "device_facts",
  {
    name: text("name").primaryKey(),
    seenAt: integer("seen_at"),
    loginFailedAt: integer("login_failed_at"),
    loginError: text("login_error"),
    factsAt: integer("facts_at"),
    revision: integer("revision"),
    facts: sealed("facts"),
  },
  (device) => [index("device_facts_revision").on(device.revision)],
);
