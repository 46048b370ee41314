/** Looks through all tables for rows that do not match the schema. */
import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { yieldToEventLoop } from "../../base/time/yield.ts";
import type { DamagedRow, DamagedRows } from "../port.ts";
import type { Database } from "../sql/database.ts";
import { either } from "../sql/notation.ts";
import type { Field } from "../sql/packed.ts";
import { fieldOf, number, type RowShape, rowShape, text } from "../sql/rows.ts";
import { jsonIn, numberOf } from "../tables/columns.ts";
import { allTables } from "../tables.ts";

/** About 5 ms on a file. */
const rowsAtOnce = 1_000;

/** @param limit of the rows that are named; all are counted */
export async function findDamagedRows(database: Database, limit: number): Promise<DamagedRows> {
  const rows: DamagedRow[] = [];
  let total = 0;
  for (const table of allTables) {
    const shape = shapeOf(table);
    const name = getTableName(table);
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const answer = await database.read({
        sql: `select ${shape.columns} from ${name} where ${numberOf(table)} > :after order by ${numberOf(table)} limit ${rowsAtOnce}`,
        args: { after },
      });
      const read = shape.readAll(answer);
      for (const { fields, key, reason } of read.damaged) {
        total++;
        if (rows.length < limit) rows.push({ table: name, row: fields.rowid ?? 0, key: key ?? null, reason });
      }
      const numbers = [...read.rows, ...read.damaged.map(({ fields }) => fields)].map(
        ({ rowid }) => rowid ?? 0,
      );
      if (numbers.length < rowsAtOnce) break;
      after = Math.max(...numbers);
      await yieldToEventLoop();
    }
  }
  return { total, rows };
}

/** Of bytes only the type is read: results may be megabytes, and are checked when they are decrypted. */
function shapeOf(table: SQLiteTable): RowShape<{ readonly rowid: number }> {
  const fields: Record<string, Field<unknown>> = {};
  for (const [property, column] of Object.entries(getTableColumns(table))) {
    if (column.dataType === "buffer") fields[property] = typeOfBytes(column.name, column.notNull);
    else fields[property] = fieldOf(column, table);
    const json = jsonIn(column);
    const field = fields[property];
    if (json !== undefined && json.problem === undefined && field !== undefined)
      fields[property] = inJson(field);
  }
  return rowShape({ ...fields, rowid: number("rowid", numberOf(table)) });
}

/** Readers take what they understand: lists show a schedule that is not JSON as one without times. */
function inJson(field: Field<unknown>): Field<unknown> {
  return {
    ...field,
    read(cell) {
      const text = field.read(cell);
      if (text !== null && !isJson(String(text))) throw new TypeError(`${field.column} must be JSON`);
      return text;
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function typeOfBytes(column: string, notNull: boolean): Field<string> {
  const field = text(
    `type_of_${column}`,
    either(`typeof(${column})`, `case when ${column} is null then 'null' else 'blob' end`),
  );
  return {
    ...field,
    read(cell) {
      const type = field.read(cell);
      if (type !== "blob" && (notNull || type !== "null")) throw new TypeError(`${column} must be bytes`);
      return type;
    },
  };
}
