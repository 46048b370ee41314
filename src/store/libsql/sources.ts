/** Sources of the inventory in the database, and their last runs. */
import { sourceLimits } from "../../model/inventory-source.ts";
import type { InventorySources } from "../port.ts";
import { addEntry } from "./audit.ts";
import type { Database } from "./database/database.ts";
import { fieldsOf, orNull, rowShape, text } from "./database/rows.ts";
import { inventorySources } from "./database/schema.ts";

const keyRow = rowShape(fieldsOf(inventorySources, "name"));
const { name, changedAt, own } = fieldsOf(inventorySources, "name", "changedAt", "own");
const listed = rowShape({ key: name, changedAt, own, run: orNull(text("run", "runs.run")) });

const hasRoom = `(exists (select 1 from inventory_sources where name = :key)
  or (select count(*) from inventory_sources) < :most)`;

export function createSources(database: Database): InventorySources {
  const { clock } = database;

  async function read(where: string, args: Record<string, string>) {
    const rows = await database.select(listed, {
      sql: `select ${listed.columns} from inventory_sources left join inventory_source_runs as runs on runs.source = name
${where} order by name, runs.id desc`,
      args,
    });
    const found = Map.groupBy(rows, ({ key }) => key);
    return [...found.values()].flatMap((same) =>
      same.slice(0, 1).map(({ run: _run, ...source }) => ({
        ...source,
        runs: same.flatMap(({ run }) => (run === null ? [] : [run])),
      })),
    );
  }

  return {
    async put(source, by) {
      const args = { key: source.key, most: sourceLimits.most };
      const entry = { caller: by, action: "inventory.source.put", outcome: "put", detail: source.key };
      const [before, , , after] = await database.write([
        {
          sql: `select ${keyRow.columns} from inventory_sources where name = :key`,
          args: { key: source.key },
        },
        addEntry(database, entry, { sql: hasRoom, args }),
        {
          sql: `insert into inventory_sources (name, changed_at, own) select :key, :at, :own where ${hasRoom}
on conflict (name) do update set changed_at = excluded.changed_at, own = excluded.own`,
          args: { ...args, own: source.own, at: clock.wall() },
        },
        {
          sql: `select ${keyRow.columns} from inventory_sources where name = :key`,
          args: { key: source.key },
        },
      ]);
      if (after?.rows.length === 0) return "full";
      return before?.rows.length === 0 ? "added" : "changed";
    },

    list: () => read("", {}),

    async get(key) {
      const [source] = await read("where name = :key", { key });
      return source;
    },

    async remove(key, by) {
      const entry = { caller: by, action: "inventory.source.remove", outcome: "removed", detail: key };
      const there = "exists (select 1 from inventory_sources where name = :key)";
      const [, , removed] = await database.write([
        addEntry(database, entry, { sql: there, args: { key } }),
        { sql: "delete from inventory_source_runs where source = :key", args: { key } },
        { sql: `delete from inventory_sources where name = :key returning ${keyRow.columns}`, args: { key } },
      ]);
      return (removed?.rows.length ?? 0) > 0;
    },

    async addRun(key, run, entry) {
      await database.write([
        {
          sql: `insert into inventory_source_runs (source, run)
select :key, :run where exists (select 1 from inventory_sources where name = :key)`,
          args: { key, run },
        },
        addEntry(database, entry, { sql: "true", args: {} }),
        {
          sql: `delete from inventory_source_runs where source = :key and id not in
  (select id from inventory_source_runs where source = :key order by id desc limit :kept)`,
          args: { key, kept: sourceLimits.runs },
        },
      ]);
    },
  };
}
