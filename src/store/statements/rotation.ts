/** Master key rotation: re-encrypts values of former keys in small batches while the service runs. */

import { getTableName } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import type { Rotation } from "../port.ts";
import type { Database } from "../sql/database.ts";
import { bytes, number, rowShape, text } from "../sql/rows.ts";
import type { Statement } from "../sql/statement.ts";
import { numberOf, type Sealing, sealingIn } from "../tables/columns.ts";
import { allTables, keyCheck } from "../tables.ts";

interface SealedColumn {
  readonly table: string;
  /** The column that numbers its rows. */
  readonly key: string;
  readonly column: string;
  readonly sealing: Sealing;
}

const columns: readonly SealedColumn[] = allTables.flatMap((table) =>
  getTableConfig(table).columns.flatMap((column) => {
    const sealing = sealingIn(column);
    return sealing === undefined
      ? []
      : [{ table: getTableName(table), key: numberOf(table), column: column.name, sealing }];
  }),
);
const batch = 50;
/** Limit for the values before the last of a batch: a result may have 32 MiB and is then alone in its batch. */
const batchBytes = 1024 * 1024;

export function createRotation(database: Database, isDue: boolean): Rotation {
  const { cipher } = database;

  async function resealColumn({
    table,
    key,
    column,
    sealing: { row, place },
  }: SealedColumn): Promise<number> {
    const sealedRow = rowShape({
      rowid: number("row_number", key),
      name: text("row_name", row),
      sealed: bytes("sealed", column),
    });
    const waiting = `select ${key} as at, length(${column}) as size from ${table}
  where ${key} > :after and ${column} is not null and substr(${column}, 3, 8) <> :key_id order by ${key} limit ${batch}`;
    const before = "sum(size) over (order by at rows between unbounded preceding and 1 preceding)";
    let count = 0;
    for (let after = -1; ; ) {
      const answer = await database.read({
        sql: `select ${sealedRow.columns} from ${table} where ${key} in (
  select at from (select at, ${before} as before from (${waiting}) t2) t1 where coalesce(before, 0) < ${batchBytes})
order by ${key}`,
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
            sql: `update ${table} set ${column} = :anew where ${key} = :rowid and ${column} = :sealed`,
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
      const word = Buffer.from(cipher.seal("patchbay", keyCheck)).toString("base64");
      await database.write([{ sql: "update meta set value = :word where key = 'key'", args: { word } }]);
      return count;
    },
  };
}
