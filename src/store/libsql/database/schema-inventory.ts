/** Tables of the inventory. What devices and groups hold is sealed; beside it stands what finds them. */
import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

const sealed = (name: string) => blob(name, { mode: "buffer" });

/** One row. */
export const inventoryState = sqliteTable("inventory_state", {
  id: integer("id").primaryKey(),
  revision: integer("revision").notNull(),
  /** Rows of what was removed are gone up to this revision. */
  purged: integer("purged").notNull().default(0),
});

/** Who made the latest revisions: a write whose answer was lost finds its own. */
export const inventoryWrites = sqliteTable("inventory_writes", {
  revision: integer("revision").primaryKey(),
  token: text("token").notNull(),
});

const columns = {
  /** In small letters. */
  name: text("name").primaryKey(),
  hostKey: text("host_key").notNull(),
  group: text("group_name"),
  source: text("source"),
  changedAt: integer("changed_at").notNull(),
  revision: integer("revision").notNull(),
  /** Null: it was removed; the row stays for a while, for other nodes to find out. */
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

/** What was learnt of devices by talking to them. A trigger takes it away with the device. */
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
