/** Seals with the current master key what a former one has sealed, in small batches, while the service works. */
import type { Rotation } from "../port.ts";
import type { SealPlace } from "./cipher.ts";
import type { Statement } from "./connect.ts";
import { asBytes, asNumber, type Database, named } from "./database.ts";
import { seals } from "./seals.ts";

interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** SQL of the row's name in the seal. */
  readonly row: string;
  readonly place: (row: string) => SealPlace;
}

const columns: readonly SealedColumn[] = [
  { table: "jobs", column: "payload", row: "id", place: seals.payload },
  { table: "jobs", column: "asked", row: "id", place: seals.asked },
  { table: "jobs", column: "request", row: "id", place: seals.request },
  { table: "audit", column: "asked", row: "job_id", place: seals.auditAsked },
  { table: "jobs", column: "sent", row: "id", place: seals.sent },
  { table: "jobs", column: "result", row: "id", place: seals.result },
  { table: "sendings", column: "lines", row: "job_id", place: seals.sent },
  { table: "deliveries", column: "hook", row: "job_id", place: seals.hook },
  { table: "idempotency", column: "answer", row: "caller || '/' || key", place: seals.answer },
];
const batch = 50;

export function createRotation(database: Database, isDue: boolean): Rotation {
  const { cipher } = database;

  async function resealColumn({ table, column, row, place }: SealedColumn): Promise<number> {
    let count = 0;
    for (let after = -1; ; ) {
      const { rows, columns: names } = await database.read({
        sql: `select rowid as at, ${row} as name, ${column} as sealed from ${table}
where rowid > ? and ${column} is not null and substr(${column}, 3, 8) <> ? order by rowid limit ${batch}`,
        args: [after, Buffer.from(cipher.keyId, "hex")],
      });
      const found = named({ rows, columns: names, changes: 0 });
      const statements = found.flatMap((one): Statement[] => {
        const old = asBytes(one.sealed) ?? new Uint8Array();
        const where = place(String(one.name));
        const text = cipher.tryOpen(old, where);
        // A damaged value stays as it is.
        if (text === undefined) return [];
        // The condition keeps a result that was written meanwhile.
        return [
          {
            sql: `update ${table} set ${column} = ? where rowid = ? and ${column} = ?`,
            args: [cipher.seal(text, where), asNumber(one.at), old],
          },
        ];
      });
      await database.write(statements);
      count += statements.length;
      if (found.length < batch) return count;
      after = asNumber(found.at(-1)?.at);
    }
  }

  return {
    isDue,

    async reseal(): Promise<number> {
      let count = 0;
      for (const column of columns) count += await resealColumn(column);
      const word = Buffer.from(cipher.seal("patchbay", seals.check("key"))).toString("base64");
      await database.write([{ sql: "update meta set value = ? where key = 'key'", args: [word] }]);
      return count;
    },
  };
}
