/** Tables of the inventory sources. */
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const inventorySources = sqliteTable("inventory_sources", {
  /** In lower case. */
  name: text("name").primaryKey(),
  changedAt: integer("changed_at").notNull(),
  own: text("own").notNull(),
});

export const inventorySourceRuns = sqliteTable(
  "inventory_source_runs",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    source: text("source").notNull(),
    run: text("run").notNull(),
  },
  (run) => [index("inventory_source_runs_source").on(run.source, run.id)],
);
