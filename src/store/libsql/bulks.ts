/** Bulks: put in with their jobs, and read as callers see them. */
import * as v from "valibot";
import type { Cipher } from "../cipher.ts";
import type { Bulks, NewBulk, StoredBulk } from "../port.ts";
import type { Database } from "./database/database.ts";
import { fieldsOf, type RowShape, rowShape } from "./database/rows.ts";
import { bulks } from "./database/schema.ts";
import { seals } from "./database/seals.ts";
import type { Args, Statement } from "./database/statement.ts";

const bulkRow = rowShape(
  fieldsOf(
    bulks,
    ...(["seq", "id", "createdAt", "caller", "driver", "operation", "label", "ticket", "note"] as const),
    ...(["tags", "total", "concurrency", "maxFailures", "bulkOrder", "retryOf"] as const),
    ...(["stoppedBecause", "stoppedAt"] as const),
  ),
);
type BulkRow = typeof bulkRow extends RowShape<infer T> ? T : never;
const tagList = v.array(v.string());

export function createBulks(database: Database): Bulks {
  const { cipher } = database;

  return {
    async find(id) {
      const [row] = await database.select(bulkRow, {
        sql: `select ${bulkRow.columns} from bulks where id = :id`,
        args: { id },
      });
      return row && storedBulk(cipher, row);
    },
  };
}

function storedBulk(cipher: Cipher, { bulkOrder, ...row }: BulkRow): StoredBulk {
  return {
    ...row,
    note: row.note === null ? null : (cipher.tryOpen(row.note, seals.note(row.id)) ?? null),
    tags: row.tags === null ? null : v.parse(tagList, JSON.parse(row.tags)),
    order: bulkOrder,
  };
}

/** In the transaction of its jobs. */
export function insertBulk(
  { cipher, clock }: Database,
  bulk: NewBulk,
  total: number,
  condition: { readonly sql: string; readonly args: Args },
): Statement {
  return {
    sql: `insert into bulks (id, created_at, caller, driver, operation, label, ticket, note, tags, total,
  concurrency, max_failures, bulk_order, retry_of, kept)
select :id, :at, :caller, :driver, :operation, :label, :ticket, :note, :tags, :total,
  :concurrency, :max_failures, :bulk_order, :retry_of, :kept
where not exists (select 1 from bulks where id = :id)${condition.sql}`,
    args: {
      id: bulk.id,
      at: clock.wall(),
      caller: bulk.caller,
      driver: bulk.driver,
      operation: bulk.operation,
      label: bulk.label || null,
      ticket: bulk.ticket || null,
      note: bulk.note ? cipher.seal(bulk.note, seals.note(bulk.id)) : null,
      tags: tagsJson(bulk.tags),
      total,
      concurrency: bulk.concurrency ?? null,
      max_failures: bulk.maxFailures ?? null,
      bulk_order: bulk.order ?? null,
      retry_of: bulk.retryOf ?? null,
      kept: bulk.kept === undefined ? null : cipher.seal(bulk.kept, seals.bulkKept(bulk.id)),
      ...condition.args,
    },
  };
}

/** As jobs and bulks hold them; no tag is no list. */
export function tagsJson(tags: readonly string[] | null | undefined): string | null {
  return tags && tags.length > 0 ? JSON.stringify(tags) : null;
}
