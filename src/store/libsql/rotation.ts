/** Master key rotation: re-encrypts values of former keys in small batches while the service runs. */

import type { SealPlace } from "../cipher.ts";
import type { Rotation } from "../port.ts";
import type { Database } from "./database/database.ts";
import { bytes, number, rowShape, text } from "./database/rows.ts";
import { seals } from "./database/seals.ts";
import type { Statement } from "./database/statement.ts";

interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** SQL expression for the row's name in its place. */
  readonly row: string;
  readonly place: (row: string) => SealPlace;
}

const columns: readonly SealedColumn[] = [
  { table: "jobs", column: "payload", row: "id", place: seals.payload },
  { table: "jobs", column: "asked", row: "id", place: seals.asked },
  { table: "jobs", column: "request", row: "id", place: seals.request },
  { table: "jobs", column: "kept", row: "id", place: seals.kept },
  { table: "bulks", column: "kept", row: "id", place: seals.bulkKept },
  { table: "jobs", column: "retry_payload", row: "id", place: seals.retryPayload },
  { table: "bulks", column: "note", row: "id", place: seals.note },
  { table: "audit", column: "asked", row: "job_id", place: seals.auditAsked },
  { table: "transcripts", column: "content", row: "job_id", place: seals.transcript },
  { table: "jobs", column: "sent", row: "id", place: seals.sent },
  { table: "jobs", column: "result", row: "id", place: seals.result },
  { table: "sendings", column: "lines", row: "job_id", place: seals.sent },
  { table: "deliveries", column: "hook", row: "job_id", place: seals.hook },
  { table: "webhooks", column: "content", row: "name", place: seals.webhook },
  { table: "detached_tasks", column: "payload", row: "id", place: seals.detached },
  { table: "detached_tasks", column: "asked", row: "id", place: seals.detachedAsked },
  { table: "credentials", column: "secret", row: "source || '/' || ref", place: seals.credential },
  { table: "schedules", column: "request", row: "id", place: seals.scheduleRequest },
  { table: "firings", column: "request", row: "schedule_id", place: seals.scheduleRequest },
  { table: "idempotency", column: "answer", row: "caller || '/' || key", place: seals.answer },
  { table: "inventory_groups", column: "own", row: "name", place: seals.inventoryGroup },
  { table: "inventory_devices", column: "own", row: "name", place: seals.inventoryDevice },
  { table: "device_facts", column: "facts", row: "name", place: seals.deviceFacts },
];
const batch = 50;
/** Limit for the values before the last of a batch: a result may have 32 MiB and is then alone in its batch. */
const batchBytes = 1024 * 1024;

export function createRotation(database: Database, isDue: boolean): Rotation {
  const { cipher } = database;

  async function resealColumn({ table, column, row, place }: SealedColumn): Promise<number> {
    const sealedRow = rowShape({
      rowid: number("row_number", "rowid"),
      name: text("row_name", row),
      sealed: bytes("sealed", column),
    });
    const waiting = `select rowid as at, length(${column}) as size from ${table}
  where rowid > :after and ${column} is not null and substr(${column}, 3, 8) <> :key_id order by rowid limit ${batch}`;
    const before = "sum(size) over (order by at rows between unbounded preceding and 1 preceding)";
    let count = 0;
    for (let after = -1; ; ) {
      const answer = await database.read({
        sql: `select ${sealedRow.columns} from ${table} where rowid in (
  select at from (select at, ${before} as before from (${waiting})) where coalesce(before, 0) < ${batchBytes})
order by rowid`,
        args: { after, key_id: Buffer.from(cipher.keyId, "hex") },
      });
      const { rows, damaged } = database.readable(sealedRow, answer);
      const statements = rows.flatMap(({ rowid, name, sealed }): Statement[] => {
        const text = cipher.tryOpen(sealed, place(name));
        // A damaged value is left as it is.
        if (text === undefined) return [];
        // The condition keeps a result that was written in the meantime.
        return [
          {
            sql: `update ${table} set ${column} = :anew where rowid = :rowid and ${column} = :sealed`,
            args: { rowid, sealed, anew: cipher.seal(text, place(name)) },
          },
        ];
      });
      await database.write(statements);
      count += statements.length;
      const read = [...rows, ...damaged.map(({ fields }) => fields)].flatMap(({ rowid }) => rowid ?? []);
      if (read.length === 0) return count;
      after = Math.max(...read);
    }
  }

  return {
    isDue,

    async reseal() {
      let count = 0;
      for (const column of columns) count += await resealColumn(column);
      const word = Buffer.from(cipher.seal("patchbay", seals.check("key"))).toString("base64");
      await database.write([{ sql: "update meta set value = :word where key = 'key'", args: { word } }]);
      return count;
    },
  };
}
