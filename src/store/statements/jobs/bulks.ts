/** Bulks: inserted with their jobs, and read for listings. */
import { yieldToEventLoop } from "../../../base/time/yield.ts";
import type { Cipher } from "../../cipher.ts";
import type { BulkConditions, Bulks, NewBulk, StoredBulk } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { isJson, itemsOf } from "../../sql/notation.ts";
import { fieldsOf, number, type RowShape, rowShape } from "../../sql/rows.ts";
import type { Args, Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { bulks } from "../../tables.ts";
import { createBulkCounts } from "./bulk-counts.ts";
import { idsFrom, submitterFields, submitterTerms } from "./listing.ts";

const bulkRow = rowShape({
  ...fieldsOf(bulks, ...namesBut(bulks, "retryRequest")),
  ...submitterFields("bulks"),
});
type BulkRow = typeof bulkRow extends RowShape<infer T> ? T : never;
/** Rows scanned per batch: about 5 ms. */
const scanRows = 2_000;
const endRow = (aggregate: "min" | "max") =>
  rowShape({ seq: number("seq", `coalesce(${aggregate}(seq), 0)`) });
const ends = { min: endRow("min"), max: endRow("max") };

export function createBulks(database: Database): Bulks {
  const { cipher, clock } = database;

  return {
    async find(id) {
      const [row] = await database.select(bulkRow, {
        sql: `select ${bulkRow.columns} from bulks where id = :id`,
        args: { id },
      });
      return row && storedBulk(cipher, row);
    },

    idsFrom: (prefix, limit) => idsFrom(database, "bulks", prefix, limit),

    async page(conditions, limit) {
      const bulks: StoredBulk[] = [];
      if (conditions.ids?.length === 0) return bulks;
      const fromSeq = await endOf("min");
      let beforeSeq = conditions.beforeSeq ?? (await endOf("max")) + 1;
      while (beforeSeq > fromSeq && bulks.length < limit) {
        const from = Math.max(fromSeq, beforeSeq - scanRows);
        const { sql, args } = where(conditions);
        const left = limit - bulks.length;
        const answer = await database.read({
          sql: `select ${bulkRow.columns} from bulks
where seq < :before_seq and seq >= :from_seq${sql} order by seq desc limit :limit`,
          args: { ...args, before_seq: beforeSeq, from_seq: from, limit: left },
        });
        const { rows, damaged } = database.readable(bulkRow, answer);
        bulks.push(...rows.map((row) => storedBulk(cipher, row)));
        // Fewer bulks than asked for are the end, so others are read in place of the damaged ones.
        const isCut = damaged.length > 0 && rows.length + damaged.length === left;
        const lowest = Math.min(
          ...[...rows, ...damaged.map(({ fields }) => fields)].map(({ seq = from }) => seq),
        );
        beforeSeq = isCut ? lowest : from;
        await yieldToEventLoop();
      }
      return bulks;
    },

    ...createBulkCounts(database),

    async stop(id, because) {
      const [stopped] = await database.write(
        [
          {
            sql: `update bulks set stopped_because = :because, stopped_at = :at
where id = :id and stopped_because is null`,
            args: { id, because, at: clock.wall() },
          },
        ],
        { essential: true },
      );
      return (stopped?.changes ?? 0) > 0;
    },
  };

  async function endOf(aggregate: "min" | "max"): Promise<number> {
    const shape = ends[aggregate];
    const [end] = await database.select(shape, { sql: `select ${shape.columns} from bulks`, args: {} });
    return end?.seq ?? 0;
  }
}

const hasUnfinished = `exists (select 1 from jobs indexed by jobs_bulk_state
  where bulk_id = bulks.id and bulk_id is not null and status in ('queued', 'held', 'running'))`;
const states: Record<NonNullable<BulkConditions["state"]>, string> = {
  running: `stopped_because is null and ${hasUnfinished}`,
  ended: `stopped_because is null and not ${hasUnfinished}`,
  stopped: "stopped_because is not null",
};

/** Each condition begins with `and`. */
function where(conditions: BulkConditions): { sql: string; args: Args } {
  const { state } = conditions;
  const terms = state === undefined ? [] : [states[state]];
  const args: Record<string, Args[string]> = {};
  const add = (sql: string, name: string, value: Args[string] | undefined) => {
    if (value === undefined) return;
    terms.push(sql);
    args[name] = value;
  };
  add("id in :ids", "ids", conditions.ids);
  add("label = :label", "label", conditions.label);
  add("ticket = :ticket", "ticket", conditions.ticket);
  add(
    `case when ${isJson("tags")} then exists (select 1 from ${itemsOf("tags", "one")} where one.value = :tag) end`,
    "tag",
    conditions.tag,
  );
  add("driver = :driver", "driver", conditions.driver);
  if (conditions.dryRun !== undefined) terms.push(`dry_run is ${conditions.dryRun ? "1" : "null"}`);
  submitterTerms("bulks", conditions.submitter, add);
  add("created_at >= :created_since", "created_since", conditions.createdSince);
  add("created_at < :created_until", "created_until", conditions.createdUntil);
  return { sql: terms.map((term) => ` and ${term}`).join(""), args };
}

function storedBulk(cipher: Cipher, { note, ...row }: BulkRow): StoredBulk {
  return { ...row, note: note === null ? null : (cipher.tryOpen(note, placeOf(bulks.note, row.id)) ?? null) };
}

const newBulk = written(bulks, ...namesBut(bulks, "seq", "stoppedBecause", "stoppedAt"));

/** Runs in the transaction that inserts its jobs. */
export function insertBulk(
  { cipher, clock }: Database,
  bulk: NewBulk,
  total: number,
  condition: { readonly sql: string; readonly args: Args },
): Statement {
  return {
    sql: `insert into bulks (${newBulk.columns})
select ${newBulk.parameters}
where not exists (select 1 from bulks where id = :id)${condition.sql}`,
    args: {
      ...newBulk.values(cipher, {
        ...bulk,
        createdAt: clock.wall(),
        dryRun: bulk.dryRun || null,
        label: bulk.label || null,
        ticket: bulk.ticket || null,
        note: bulk.note || null,
        tags: bulk.tags && bulk.tags.length > 0 ? bulk.tags : null,
        total,
        submitterKind: bulk.submitter.kind,
        submitter: bulk.submitter.name,
      }),
      ...condition.args,
    },
  };
}
