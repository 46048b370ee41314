/** Inventory sources in the database, and their last runs. */
import { sourceLimits } from "../../../api/inventory/inventory-source.ts";
import type { ExpectedSource, InventorySources, NewAuditEntry } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, orNull, rowShape, text } from "../../sql/rows.ts";
import type { Args } from "../../sql/statement.ts";
import { inventorySources } from "../../tables.ts";
import { holderTerms, writerFields, writerOf } from "../jobs/listing.ts";
import { addEntry } from "../trail/audit.ts";

const keyRow = rowShape(fieldsOf(inventorySources, "name"));
const standingRow = rowShape(fieldsOf(inventorySources, "own", "changedAt"));
const { name, changedAt, own } = fieldsOf(inventorySources, "name", "changedAt", "own");
const writer = "inventory_sources.written_by";
const fields = { key: name, changedAt, own, ...writerFields(writer) };
const listed = rowShape({ ...fields, run: orNull(text("run", "runs.run")) });

const hasRoom = `(exists (select 1 from inventory_sources where name = :key)
  or (select count(*) from inventory_sources) < :most)`;

/** Whether the stored source is the expected one; uses `:expected` if one was given. */
function isExpected(expected: ExpectedSource): string {
  if (expected === undefined) return "true";
  const same = expected === null ? "" : " and own = :expected";
  return `${expected === null ? "not " : ""}exists (select 1 from inventory_sources where name = :key${same})`;
}

const expectedArgs = (expected: ExpectedSource): Record<string, string> =>
  typeof expected === "string" ? { expected } : {};

export function createSources(database: Database): InventorySources {
  const { clock } = database;

  async function read(where: string, args: Args) {
    const answer = await database.read({
      sql: `select ${listed.columns} from inventory_sources left join inventory_source_runs as runs on runs.source = name
${where} order by name, runs.id desc`,
      args,
    });
    const { rows: read, damaged } = database.readable(listed, answer);
    // A damaged run does not take its source along.
    const others = damaged.flatMap(
      ({ fields: { key, changedAt, own, submitterKind = null, submitter = null } }) =>
        key === undefined || changedAt === undefined || own === undefined
          ? []
          : [{ key, changedAt, own, submitterKind, submitter, run: null }],
    );
    const rows = others.length === 0 ? read : [...read, ...others].sort((a, b) => (a.key < b.key ? -1 : 1));
    const byKey = Map.groupBy(rows, ({ key }) => key);
    return [...byKey.values()].flatMap((same) =>
      same.slice(0, 1).map(({ run: _run, ...source }) => ({
        ...source,
        runs: same.flatMap(({ run }) => (run === null ? [] : [run])),
      })),
    );
  }

  return {
    async put(source, by, expected) {
      const args = { key: source.key, most: sourceLimits.most, ...expectedArgs(expected) };
      const may = `(${hasRoom} and ${isExpected(expected)})`;
      const entry: NewAuditEntry = {
        caller: by,
        action: "inventory.source.put",
        outcome: "put",
        detail: source.key,
      };
      const at = clock.wall();
      const standing = {
        sql: `select ${standingRow.columns} from inventory_sources where name = :key`,
        args: { key: source.key },
      };
      const [was, , , is] = await database.write([
        standing,
        addEntry(database, entry, { sql: may, args }),
        {
          sql: `insert into inventory_sources (name, changed_at, own, written_by) select :key, :at, :own, :by where ${may}
on conflict (name) do update set changed_at = excluded.changed_at, own = excluded.own, written_by = excluded.written_by`,
          args: { ...args, own: source.own, at, by: writerOf(by) },
        },
        standing,
      ]);
      // A damaged source can be put anew.
      const [before] = database.readable(standingRow, was).rows;
      const [after] = standingRow.read(is);
      // If the first response was lost, the source is already stored.
      const isOurs = after?.own === source.own && after.changedAt === at;
      if (expected !== undefined && (before?.own ?? null) !== expected)
        return isOurs ? (expected === null ? "added" : "changed") : "moved";
      if (after === undefined) return "full";
      return before === undefined ? "added" : "changed";
    },

    list(condition) {
      const { sql, args } = holderTerms(writer, condition);
      return read(`where ${["true", ...sql].join(" and ")}`, args);
    },

    async get(key) {
      const [source] = await read("where name = :key", { key });
      return source;
    },

    async remove(key, by, expected) {
      const entry: NewAuditEntry = {
        caller: by,
        action: "inventory.source.remove",
        outcome: "removed",
        detail: key,
      };
      const args = { key, ...expectedArgs(expected) };
      const exists = `exists (select 1 from inventory_sources where name = :key) and ${isExpected(expected)}`;
      const [, , removed] = await database.write([
        addEntry(database, entry, { sql: exists, args }),
        { sql: `delete from inventory_source_runs where source = :key and ${exists}`, args },
        {
          sql: `delete from inventory_sources where name = :key and ${isExpected(expected)} returning ${keyRow.columns}`,
          args,
        },
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
