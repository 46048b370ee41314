/** Ids by their first characters, found through the index of the column. */
import type { Database } from "../database/database.ts";
import { rowShape, text } from "../database/rows/rows.ts";

const idRow = rowShape({ id: text("id") });
/** Sorts after all hexadecimal digits and the dash. */
const afterDigits = "g";

export async function idsFrom(
  database: Database,
  table: "jobs" | "bulks",
  prefix: string,
  limit: number,
): Promise<string[]> {
  const rows = await database.select(idRow, {
    // Ids are in the order of their times.
    sql: `select ${idRow.columns} from ${table} where id >= :from and id < :until order by id desc limit :limit`,
    args: { from: prefix, until: prefix + afterDigits, limit },
  });
  return rows.map(({ id }) => id);
}
