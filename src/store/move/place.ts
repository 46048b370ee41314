/** Where a store may be moved from and to: what a move needs of each kind of database. */
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { ServiceError } from "../../base/errors.ts";
import type { Reads } from "../sql/database.ts";
import { steadyNow } from "../sql/notation.ts";
import type { Cell as StoredCell } from "../sql/rows.ts";
import type { GivenTypes, SqlType, Statement } from "../sql/statement.ts";
import { typeOf } from "../sql/written.ts";
import { numberOf } from "../tables/columns.ts";
import { allTables } from "../tables.ts";
import { type Mark, nameOf } from "./marks.ts";

/** A value as both kinds of database have it: truths are 0 and 1. */
export type Cell = string | number | null | Uint8Array;

export interface MovedTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: SqlType }[];
  /** Where the database gives the numbers of new rows: the column. */
  readonly counted: string | undefined;
  /** The column that numbers the rows on PostgreSQL. */
  readonly number: string;
}

/** All that a store holds. */
export const movedTables: readonly MovedTable[] = allTables.map((table) => {
  const { name, columns } = getTableConfig(table);
  return {
    name,
    columns: columns.map((column) => ({ name: column.name, type: typeOf(column) })),
    counted: columns.find((column) => "autoIncrement" in column && column.autoIncrement === true)?.name,
    number: numberOf(table),
  };
});

export const typesOf = ({ columns }: MovedTable): GivenTypes =>
  Object.fromEntries(columns.map(({ name, type }) => [name, type]));

/** Rows of a table in the order of their numbers. */
export interface Page {
  readonly rows: readonly (readonly Cell[])[];
  /** The number of the last one; undefined after the end of the table. */
  readonly last: number | undefined;
}

/** Limits of a page: rows, cells, and bytes before its last row. */
export const pageLimits = { rows: 1_000, cells: 20_000, bytes: 2 * 1024 * 1024 } as const;

export const rowsOfPage = ({ columns }: MovedTable) =>
  Math.max(1, Math.min(pageLimits.rows, Math.floor(pageLimits.cells / columns.length)));

/** @param sizes numbers and bytes of rows. @returns the number of the last row of a page of them */
export function endOfPage(sizes: readonly (readonly [number, number])[]): number | undefined {
  let bytes = 0;
  let end: number | undefined;
  for (const [number, size] of sizes) {
    if (end !== undefined && bytes >= pageLimits.bytes) break;
    bytes += size;
    end = number;
  }
  return end;
}

export interface Place {
  readonly kind: "file" | "libsql" | "postgres";
  /** For messages: nothing secret. */
  readonly shown: string;
  /** Names of the migrations of this program. */
  readonly steps: readonly string[];
  /**
   * Names of migrations that the database has had, and marks; undefined if it is empty.
   * @throws ServiceError Conflict if it has tables of something else
   */
  names(): Promise<readonly string[] | undefined>;
  /** The sealed word that only the right master key opens. */
  keyWord(): Promise<string | undefined>;
  /** Nodes whose lease has not ended, and its end in ms. */
  nodes(): Promise<readonly { readonly name: string; readonly leftMs: number }[]>;
  /** Puts a mark in the place of another. @returns false, without doing so, if nodes are at work */
  mark(former: Mark | undefined, mark: Mark | undefined): Promise<boolean>;
  /** Makes the tables in an empty database, without rows and without triggers, and the mark, in one transaction. */
  make(mark: Mark): Promise<void>;
  /** Removes what another move has brought. */
  empty(former: Mark, mark: Mark): Promise<void>;
  /** How far each table has been filled, as the numbers of rows in the source. */
  positions(): Promise<ReadonlyMap<string, number>>;
  page(table: MovedTable, after: number): Promise<Page>;
  /** Adds rows and the position, in one transaction. */
  add(table: MovedTable, page: Page): Promise<void>;
  /** The last number that was given to a row, by table. */
  given(): Promise<ReadonlyMap<string, number>>;
  /** Numbers go on after those given; triggers work again, and the mark is gone, in one transaction. */
  complete(mark: Mark, given: ReadonlyMap<string, number>): Promise<void>;
  close(): Promise<void>;
}

/** In a database that is being filled: positions, and what is put back at the end. */
export const makeNotes = "create table moving (name text primary key, value text not null)";

export const plain = (sql: string): Statement => ({ sql, args: {} });

/** Nodes at work. */
export const live = `from nodes where state <> 'dead' and lease_t > ${steadyNow}`;

/** How both kinds of place are read. */
export function createPlaceReads(connection: Pick<Reads, "read">) {
  async function read(sql: string, args: Statement["args"] = {}): Promise<readonly (readonly Cell[])[]> {
    const { rows } = await connection.read({ sql, args });
    return rows.map((row) => row.map(cellOf));
  }

  const texts = async (sql: string) => (await read(sql)).map(([cell]) => String(cell));

  return {
    read,
    texts,

    /** @param tables all of the database */
    async namesIn(tables: readonly string[]): Promise<readonly string[] | undefined> {
      if (tables.length === 0) return undefined;
      return tables.includes("migrations")
        ? texts("select name from migrations order by name")
        : foreign(tables);
    },

    async keyWord(): Promise<string | undefined> {
      const [word] = await texts("select value from meta where key = 'key'");
      return word;
    },

    /** @param by the column that numbers the rows, and the function that gives the size of a value: SQLite's counts characters of a text */
    async pageBy(
      { number, length }: { readonly number: string; readonly length: string },
      table: MovedTable,
      after: number,
    ): Promise<Page> {
      const sized = table.columns.filter(({ type }) => type === "text" || type === "bytea");
      const size = sized.map(({ name }) => `coalesce(${length}(${name}), 0)`).join(" + ") || "0";
      const sizes = await read(
        `select ${number}, ${size} from ${table.name} where ${number} > :after order by ${number} limit :most`,
        { after, most: rowsOfPage(table) },
      );
      const last = endOfPage(sizes.map(([number, size]) => [Number(number), Number(size)]));
      if (last === undefined) return { rows: [], last };
      const columns = table.columns.map(({ name }) => name).join(", ");
      const rows = await read(
        `select ${columns} from ${table.name} where ${number} > :after and ${number} <= :last order by ${number}`,
        { after, last },
      );
      return { rows, last };
    },
  };
}

function foreign(tables: readonly string[]): never {
  const text = `The database has tables of something else (${tables.slice(0, 3).join(", ")}): give an empty one.`;
  throw new ServiceError("Conflict", text);
}

const cellOf = (cell: StoredCell): Cell =>
  typeof cell === "boolean" || typeof cell === "bigint" ? Number(cell) : cell;

/** Takes a mark away, if there is another one, only when that is there. */
export const unmark = (former: Mark, mark: Mark | undefined): Statement => ({
  sql: `delete from migrations where name = :former${mark === undefined ? "" : " and exists (select 1 from migrations where name = :name)"}`,
  args: { former: nameOf(former), ...(mark === undefined ? {} : { name: nameOf(mark) }) },
});

export const replaceMark = (former: Mark, mark: Mark): Statement => ({
  sql: "update migrations set name = :name where name = :former",
  args: { former: nameOf(former), name: nameOf(mark) },
});

/** The position of a table. */
export const filledTo = ({ name }: MovedTable, last: Page["last"]): Statement => ({
  sql: "insert into moving (name, value) values (:name, :last) on conflict (name) do update set value = excluded.value",
  args: { name: `at ${name}`, last: String(last) },
});
