/** A database file or a libSQL server as the source or the target of a move. */
import { migrations } from "../../../migrations/index.ts";
import type { Secret } from "../../base/secrets/secret.ts";
import { openConnection, targetOf } from "../libsql/database/connect.ts";
import type { Connection } from "../libsql/database/connection.ts";
import { makeEmptyFile } from "../libsql/database/file/new-file.ts";
import { migrate } from "../libsql/database/migrate.ts";
import { adoptDatabase } from "../libsql/directory-identity.ts";
import { steadyNow } from "../sql/notation.ts";
import { givenColumns, type Statement } from "../sql/statement.ts";
import { nameOf } from "./marks.ts";
import {
  createPlaceReads,
  filledTo,
  live,
  makeNotes,
  movedTables,
  type Place,
  plain,
  replaceMark,
  typesOf,
  unmark,
} from "./place.ts";

interface LibsqlPlaceOptions {
  /** The file. */
  readonly file: string;
  /** The directory of the file, which the database is to belong to. */
  readonly directory: string;
  /** The server; undefined: the file. */
  readonly url: string | undefined;
  readonly token: Secret | undefined;
}

const isTable =
  "type = 'table' and name not like 'sqlite!_%' escape '!' and name not like 'libsql!_%' escape '!'";
export async function libsqlPlace({ file, directory, url, token }: LibsqlPlaceOptions): Promise<Place> {
  const target = targetOf(file, url, token);
  const { shared } = target;
  // The compiled program would begin with a database that has its schema, and is not empty.
  if (!shared) makeEmptyFile(file);
  const connection = await openConnection(target);
  const steady_now = shared ? null : Date.now();

  const { read, texts, namesIn, keyWord, pageBy } = createPlaceReads(connection);
  const by = { number: "rowid", length: "length" };

  async function write(...statements: readonly Statement[]): Promise<void> {
    await connection.batch(statements);
    await connection.synced();
  }

  return {
    kind: shared ? "libsql" : "file",
    shown: shared ? new URL(target.at).host : file,
    steps: migrations.map(({ name }) => name),

    async names() {
      const tables = await texts(`select name from sqlite_master where ${isTable}`);
      return namesIn(tables);
    },

    keyWord,

    async nodes() {
      const rows = await read(`select name, lease_t - ${steadyNow} ${live}`, { steady_now });
      // The owner of the directory of a file knows that no process works on it.
      return shared ? rows.map(([name, left]) => ({ name: String(name), leftMs: Number(left) })) : [];
    },

    async mark(former, mark) {
      const free = shared ? `not exists (select 1 ${live})` : "true";
      const statements: Statement[] = [];
      if (mark !== undefined)
        statements.push({
          sql: `insert into migrations (name) select :name where ${free} on conflict do nothing`,
          args: { name: nameOf(mark), ...(shared ? { steady_now } : {}) },
        });
      if (former !== undefined) statements.push(unmark(former, mark));
      await write(...statements);
      const names = await texts("select name from migrations");
      return mark === undefined || names.includes(nameOf(mark));
    },

    async make(mark) {
      const steps = [
        ...migrations,
        {
          name: nameOf(mark),
          statements: [makeNotes, ...movedTables.map(({ name }) => `delete from ${name}`)],
        },
      ];
      await migrate(connection, steps);
    },

    async empty(former, mark) {
      await write(
        ...movedTables.map(({ name }) => plain(`delete from ${name}`)),
        plain("delete from moving where name like 'at %'"),
        replaceMark(former, mark),
      );
    },

    async positions() {
      await putTriggersAside(connection, texts);
      const rows = await read("select substr(name, 4), value from moving where name like 'at %'");
      return new Map(rows.map(([name, value]) => [String(name), Number(value)]));
    },

    page: (table, after) => pageBy(by, table, after),

    async add(table, { rows, last }) {
      const columns = table.columns.map(({ name }) => name).join(", ");
      const given = givenColumns("given", typesOf(table));
      await write(
        {
          sql: `with ${given.definition} insert into ${table.name} (${columns}) select ${columns} from given`,
          args: given.rows(rows),
        },
        filledTo(table, last),
      );
    },

    async given() {
      const rows = await read("select name, seq from sqlite_sequence");
      return new Map(rows.map(([name, last]) => [String(name), Number(last)]));
    },

    async complete(mark, given) {
      const triggers = await texts("select value from moving where name like 'trigger %' order by name");
      const counted = movedTables.filter(({ counted }) => counted !== undefined);
      const numbers = counted.flatMap(({ name }): Statement[] => {
        const last = given.get(name);
        if (last === undefined) return [];
        return [
          { sql: "delete from sqlite_sequence where name = :name", args: { name } },
          { sql: "insert into sqlite_sequence (name, seq) values (:name, :last)", args: { name, last } },
        ];
      });
      await write(
        ...numbers,
        ...(shared ? [] : adoptDatabase(directory)),
        ...triggers.map(plain),
        plain("drop table moving"),
        { sql: "delete from migrations where name = :name", args: { name: nameOf(mark) } },
      );
    },

    async close() {
      connection.close();
    },
  };
}

/** What they would write comes with the rows. Their texts are kept until the end. */
async function putTriggersAside(
  connection: Connection,
  texts: (sql: string) => Promise<string[]>,
): Promise<void> {
  const triggers = await texts("select name from sqlite_master where type = 'trigger'");
  if (triggers.length === 0) return;
  await connection.batch([
    plain(
      "insert into moving (name, value) select 'trigger ' || name, sql from sqlite_master where type = 'trigger'",
    ),
    ...triggers.map((name) => plain(`drop trigger ${name}`)),
  ]);
}
