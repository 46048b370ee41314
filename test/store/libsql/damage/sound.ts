/** Sound rows for every table of the schema, with a value in every column. */
import { getTableName } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Connection } from "../../../../src/store/libsql/database/connection.ts";
import type { Value } from "../../../../src/store/sql/statement.ts";
import { jsonIn } from "../../../../src/store/tables/columns.ts";
import { allTables } from "../../../../src/store/tables.ts";

export interface Column {
  readonly table: string;
  readonly name: string;
  readonly notNull: boolean;
  readonly type: "text" | "word" | "json" | "number" | "bytes";
}

const numbers = Array.from({ length: 3 }, (_, at) => at + 1);
/** The second of three rows is the one that is damaged. */
export const sound = ["k1", "k3"];
const now = Date.now();
const later = now + 1e9;

const run = {
  ...{ started_at: "2026-01-01T00:00:00Z", ended_at: "2026-01-01T00:00:01Z", status: "succeeded" },
  ...{ by: "k1", dry_run: false, added: 0, changed: 0, removed: 0, unchanged: 0, error: null },
};
const texts: Readonly<Record<string, string>> = {
  "deliveries.attempts": "[]",
  "inventory_sources.own": '{"name":"s"}',
  "inventory_source_runs.run": JSON.stringify(run),
  "schedules.spec": '{"overlap":"skip"}',
  "webhooks.spec": '{"format":"json"}',
  "firings.spec": '{"overlap":"skip"}',
};
/** Columns that lists and claims have conditions on. */
const words: Readonly<Record<string, Value>> = {
  "jobs.status": "queued",
  "jobs.strategy": "fifo",
  "jobs.lane": "lane",
  "deliveries.state": "pending",
  "deliveries.event": "job.finished",
  "firings.status": "submitting",
  "schedules.state": "active",
  "nodes.state": "up",
  // An index reads it.
  "ledger.body": "{}",
};
const unset = ["jobs.ended_at", "jobs.keep_t", "jobs.due_t", "jobs.stop", "jobs.claim", "keys.revoked_at"];
const unlimited = /(expires_t|expires_at|lease_t|ends_at|seen_at)$/;

export const tables = allTables;

export function columnsOf(table: SQLiteTable): Column[] {
  const name = getTableName(table);
  return getTableConfig(table).columns.map((column) => ({
    table: name,
    name: column.name,
    notNull: column.notNull || column.primary,
    type:
      column.dataType === "buffer"
        ? "bytes"
        : column.dataType === "number" || column.dataType === "boolean"
          ? "number"
          : column.enumValues
            ? "word"
            : jsonIn(column)
              ? "json"
              : "text",
  }));
}

/** In the empty database of a store that was opened once. */
export async function writeSound(link: Connection): Promise<void> {
  // They refuse what the service does not write.
  await link.script("drop trigger ledger_follows; drop trigger ledger_stays");
  await link.batch(
    tables.flatMap((table) => {
      const columns = columnsOf(table);
      const name = getTableName(table);
      const { columns: full } = getTableConfig(table);
      return numbers.map((n) => ({
        sql: `insert or replace into ${name} (${columns.map((column) => column.name).join(", ")})
values (${columns.map((column) => `:${column.name}`).join(", ")})`,
        args: Object.fromEntries(
          columns.map((column, at) => [column.name, valueFor(column, full[at]?.enumValues?.[0], n)]),
        ),
      }));
    }),
  );
}

function valueFor({ table, name, type }: Column, word: string | undefined, n: number): Value {
  const path = `${table}.${name}`;
  if (unset.includes(path)) return null;
  if (path in words) return words[path] ?? null;
  if (type === "bytes") return new Uint8Array([n]);
  if (type === "number") return unlimited.test(name) ? later : name === "logged_in_at" ? now : n;
  if (type === "json") return texts[path] ?? '["a","b"]';
  return word ?? `k${n}`;
}
