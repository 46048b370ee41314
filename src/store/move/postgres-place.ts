/** A PostgreSQL database as the source or the target of a move. */
import { migrations } from "../../../migrations/postgres/index.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import { addressOf } from "../postgres/database/address.ts";
import { upgrade } from "../postgres/database/open.ts";
import { openServer } from "../postgres/database/server.ts";
import { steadyNow } from "../sql/notation.ts";
import type { Cell as StoredCell } from "../sql/rows.ts";
import { givenColumns, type Scalar, type SqlType, type Statement } from "../sql/statement.ts";
import { nameOf } from "./marks.ts";
import {
  type Cell,
  endOfPage,
  type MovedTable,
  makeNotes,
  movedTables,
  type Page,
  type Place,
  rowsOfPage,
  typesOf,
} from "./place.ts";

const plain = (sql: string): Statement => ({ sql, args: {} });
const live = `from nodes where state <> 'dead' and lease_t > ${steadyNow}`;
const counted = movedTables.filter(({ counted }) => counted !== undefined);
const sequenceOf = ({ name, counted }: MovedTable) =>
  `pg_get_serial_sequence(quote_ident(current_schema()) || '.${name}', '${counted}')`;

export function postgresPlace(url: string, token: Secret | undefined): Place {
  const address = addressOf(url, token);
  const connection = openServer(address);

  async function read(sql: string, args: Statement["args"] = {}): Promise<readonly (readonly Cell[])[]> {
    const { rows } = await connection.read({ sql, args });
    return rows.map((row) => row.map(cellOf));
  }

  const texts = async (sql: string) => (await read(sql)).map(([cell]) => String(cell));

  return {
    kind: "postgres",
    shown: address.shown,
    steps: migrations.map(({ name }) => name),

    async names() {
      const tables = await texts(
        "select table_name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'",
      );
      if (tables.length === 0) return undefined;
      return tables.includes("migrations")
        ? texts("select name from migrations order by name")
        : foreign(tables);
    },

    async keyWord() {
      const [word] = await texts("select value from meta where key = 'key'");
      return word;
    },

    async nodes() {
      const rows = await read(`select name, lease_t - ${steadyNow} ${live}`);
      return rows.map(([name, left]) => ({ name: String(name), leftMs: Number(left) }));
    },

    async mark(former, mark) {
      const statements: Statement[] = [];
      if (mark !== undefined)
        statements.push({
          sql: `insert into migrations (name) select :name where not exists (select 1 ${live}) on conflict do nothing`,
          args: { name: nameOf(mark) },
        });
      if (former !== undefined)
        statements.push({
          sql: `delete from migrations where name = :former${mark === undefined ? "" : " and exists (select 1 from migrations where name = :name)"}`,
          args: { former: nameOf(former), ...(mark === undefined ? {} : { name: nameOf(mark) }) },
        });
      await connection.batch(statements);
      const names = await texts("select name from migrations");
      return mark === undefined || names.includes(nameOf(mark));
    },

    async make(mark) {
      const statements = [
        makeNotes,
        ...movedTables.flatMap(({ name }) => [
          `delete from ${name}`,
          `alter table ${name} disable trigger user`,
        ]),
      ];
      await upgrade(address, [...migrations, { name: nameOf(mark), statements }]);
    },

    async empty(former, mark) {
      await connection.batch([
        plain(`truncate ${movedTables.map(({ name }) => name).join(", ")} restart identity`),
        plain("delete from moving"),
        {
          sql: "update migrations set name = :name where name = :former",
          args: { former: nameOf(former), name: nameOf(mark) },
        },
      ]);
    },

    async positions() {
      const rows = await read("select substr(name, 4), value from moving");
      return new Map(rows.map(([name, value]) => [String(name), Number(value)]));
    },

    async page(table, after) {
      const { name, number } = table;
      const sized = table.columns.filter(({ type }) => type === "text" || type === "bytea");
      const size = sized.map(({ name }) => `coalesce(octet_length(${name}), 0)`).join(" + ") || "0";
      const sizes = await read(
        `select ${number}, ${size} from ${name} where ${number} > :after order by ${number} limit :most`,
        { after, most: rowsOfPage(table) },
      );
      const last = endOfPage(sizes.map(([number, size]) => [Number(number), Number(size)]));
      if (last === undefined) return { rows: [], last };
      const columns = table.columns.map(({ name }) => name).join(", ");
      const rows = await read(
        `select ${columns} from ${name} where ${number} > :after and ${number} <= :last order by ${number}`,
        { after, last },
      );
      return { rows, last };
    },

    async add(table, { rows, last }) {
      const given = givenColumns("given", typesOf(table));
      const columns = table.columns.map(({ name }) => name).join(", ");
      await connection.batch([
        {
          sql: `with ${given.definition} insert into ${table.name} (${columns}) select ${columns} from given`,
          args: given.rows(rows.map((row) => row.map((cell, at) => scalarOf(cell, table.columns[at]?.type)))),
        },
        at(table, last),
      ]);
    },

    async given() {
      const columns = counted.map((table) => `pg_sequence_last_value(${sequenceOf(table)})`);
      const [row = []] = await read(`select ${columns.join(", ")}`);
      return new Map(
        counted.flatMap(({ name }, at) => (typeof row[at] === "number" ? [[name, row[at]] as const] : [])),
      );
    },

    async complete(mark, given) {
      const numbers = counted.flatMap((table): Statement[] => {
        const last = given.get(table.name) ?? 0;
        return last > 0 ? [{ sql: `select setval(${sequenceOf(table)}, :last)`, args: { last } }] : [];
      });
      // What it plans by is otherwise gathered minutes later.
      await connection.read(plain(`analyze ${movedTables.map(({ name }) => name).join(", ")}`));
      await connection.batch([
        ...numbers,
        ...movedTables.map(({ name }) => plain(`alter table ${name} enable trigger user`)),
        plain("drop table moving"),
        { sql: "delete from migrations where name = :name", args: { name: nameOf(mark) } },
      ]);
    },

    close: () => connection.close(),
  };
}

function foreign(tables: readonly string[]): never {
  const text = `The database has tables of something else (${tables.slice(0, 3).join(", ")}): give an empty one.`;
  throw new ServiceError("Conflict", text);
}

function at({ name }: MovedTable, last: Page["last"]): Statement {
  return {
    sql: "insert into moving (name, value) values (:name, :last) on conflict (name) do update set value = excluded.value",
    args: { name: `at ${name}`, last: String(last) },
  };
}

const scalarOf = (cell: Cell, type: SqlType | undefined): Scalar =>
  type === "boolean" && cell !== null ? cell !== 0 : cell;

const cellOf = (cell: StoredCell): Cell =>
  typeof cell === "boolean" || typeof cell === "bigint" ? Number(cell) : cell;
