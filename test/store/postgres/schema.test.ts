/** The migrations make the tables that the code states, and an upgrade that is killed leaves nothing half done. */

import { getTableConfig } from "drizzle-orm/sqlite-core";
import postgres from "postgres";
import { describe, expect, test } from "vitest";
import { migrations } from "../../../migrations/postgres/index.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { migrate } from "../../../src/store/postgres/database/migrate.ts";
import { typeOf } from "../../../src/store/sql/written.ts";
import { numberOf } from "../../../src/store/tables/columns.ts";
import { allTables } from "../../../src/store/tables.ts";
import { useDatabases, useServer } from "./place.ts";

describe.skipIf(needs("postgres"))("the schema on PostgreSQL", () => {
  const serverOf = useServer();
  const makeDatabase = useDatabases(serverOf);

  test("has the columns and indexes of the stated tables", async () => {
    const { url, remove } = await makeDatabase();
    const server = await serverOf();
    const name = new URL(url).pathname.slice(1);
    const columns = await server.sql(
      `select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || coalesce(' ' || collation_name, '')
from information_schema.columns where table_schema = 'public' and table_name not in ('migrations', 'writers')`,
      name,
    );
    const stated = allTables.flatMap((table) => {
      const { name, columns, primaryKeys } = getTableConfig(table);
      const keys = primaryKeys.flatMap(({ columns }) => columns.map(({ name }) => name));
      const own = columns.map((column) => {
        const isRequired = column.notNull || column.primary || keys.includes(column.name);
        const type = typeOf(column);
        return `${name}.${column.name} ${type} ${isRequired ? "NO" : "YES"}${type === "text" ? " C" : ""}`;
      });
      return numberOf(table) === "rowid" ? [...own, `${name}.row_n bigint NO`] : own;
    });
    expect(columns.flat().sort()).toEqual(stated.sort());

    const indexes = await server.sql(
      "select indexname from pg_indexes where schemaname = 'public' and indexname !~ '_(pkey|row_n_key|unique)$'",
      name,
    );
    const named = allTables.flatMap((table) =>
      getTableConfig(table).indexes.map(({ config }) => config.name),
    );
    expect(indexes.flat()).toEqual(expect.arrayContaining(named));
    await remove();
  });

  test("is made in one transaction: killed anywhere, it leaves nothing, and the next start makes it", async () => {
    const server = await serverOf();
    await server.create("upgraded");
    const sql = postgres(server.url("upgraded"), { max: 1, onnotice: () => {} });
    const killed = (at: number) =>
      migrate(async (work) => {
        let count = 0;
        await sql.begin(async (transaction) => {
          await work(async (text) => {
            if (count++ === at) throw new Error("killed");
            return (await transaction.unsafe(text).values()).flat().map(String);
          });
        });
      });
    const tables = "select count(*)::int from pg_tables where schemaname = 'public'";
    const all = migrations.reduce((sum, { statements }) => sum + statements.length + 1, 2);
    for (let at = 0; at < all; at += 20) {
      await expect(killed(at)).rejects.toThrow("killed");
      expect(await server.sql(tables, "upgraded")).toEqual([[0]]);
    }
    await killed(Number.POSITIVE_INFINITY);
    await killed(Number.POSITIVE_INFINITY);
    expect(await server.sql("select count(*)::int from migrations", "upgraded")).toEqual([
      [migrations.length],
    ]);
    await sql`insert into migrations (name) values ('9999_later')`;
    await expect(killed(Number.POSITIVE_INFINITY)).rejects.toThrow("newer version");
    await sql.end();
  });
});
