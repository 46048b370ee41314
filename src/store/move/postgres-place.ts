/** A PostgreSQL database as the source or the target of a move. */
import { migrations } from "../../../migrations/postgres/index.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import { addressOf } from "../postgres/database/address.ts";
import { upgrade } from "../postgres/database/open.ts";
import { openServer } from "../postgres/database/server.ts";
import { steadyNow } from "../sql/notation.ts";
import { givenColumns, type Scalar, type SqlType, type Statement } from "../sql/statement.ts";
import { nameOf } from "./marks.ts";
import {
  type Cell,
  createPlaceReads,
  filledTo,
  live,
  type MovedTable,
  makeNotes,
  movedTables,
  type Place,
  plain,
  replaceMark,
  typesOf,
  unmark,
} from "./place.ts";

const counted = movedTables.filter(({ counted }) => counted !== undefined);
const sequenceOf = ({ name, counted }: MovedTable) =>
  `pg_get_serial_sequence(quote_ident(current_schema()) || '.${name}', '${counted}')`;

export function postgresPlace(url: string, token: Secret | undefined): Place {
  const address = addressOf(url, token);
  const connection = openServer(address);

  const { read, texts, namesIn, keyWord, pageBy } = createPlaceReads(connection);

  return {
    kind: "postgres",
    shown: address.shown,
    steps: migrations.map(({ name }) => name),

    async names() {
      const tables = await texts(
        "select table_name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'",
      );
      return namesIn(tables);
    },

    keyWord,

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
      if (former !== undefined) statements.push(unmark(former, mark));
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
        replaceMark(former, mark),
      ]);
    },

    async positions() {
      const rows = await read("select substr(name, 4), value from moving");
      return new Map(rows.map(([name, value]) => [String(name), Number(value)]));
    },

    page: (table, after) => pageBy({ number: table.number, length: "octet_length" }, table, after),

    async add(table, { rows, last }) {
      const given = givenColumns("given", typesOf(table));
      const columns = table.columns.map(({ name }) => name).join(", ");
      await connection.batch([
        {
          sql: `with ${given.definition} insert into ${table.name} (${columns}) select ${columns} from given`,
          args: given.rows(rows.map((row) => row.map((cell, at) => scalarOf(cell, table.columns[at]?.type)))),
        },
        filledTo(table, last),
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

const scalarOf = (cell: Cell, type: SqlType | undefined): Scalar =>
  type === "boolean" && cell !== null ? cell !== 0 : cell;
