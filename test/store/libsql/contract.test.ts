/** libSQL fulfils the store contract, as a file and as a server. */
import { afterAll } from "vitest";
import { type Sqld, startSqld } from "../../../scripts/testbed/sqld.ts";
import { openConnection } from "../../../src/store/libsql/database/connect.ts";
import type { Connection } from "../../../src/store/libsql/database/connection.ts";
import { migrate } from "../../../src/store/libsql/database/migrate.ts";
import type { Cell } from "../../../src/store/sql/rows.ts";
import type { Statement } from "../../../src/store/sql/statement.ts";
import type { MakeStorePlace, StorePlace } from "../contract/fixture.ts";
import { describeContract } from "../contract/suite.ts";
import { closeStore, endStore, makePlace, openStore, type TestPlace } from "../support.ts";

function storePlace({ remove, ...place }: TestPlace): StorePlace {
  return {
    open: (keys) => openStore(place, keys),
    close: closeStore,
    async remove(store) {
      if (store !== undefined) await endStore(store);
      await remove();
    },
  };
}

/** One server for all tests, with one schema: both take longer to make than to empty. */
let server: Sqld | undefined;
/** What the migrations write into a new database. */
let written: readonly Statement[] | undefined;
let tables: readonly string[] | undefined;
afterAll(() => server?.stop());

const onServer: MakeStorePlace = async () => {
  server ??= await startSqld();
  const connection = await openConnection({ at: server.url, shared: true });
  if (written === undefined) {
    await migrate(connection);
    written = await rowsOf(connection);
  } else await connection.batch([...(await emptying(connection)), ...written]);
  connection.close();
  const { directory, remove } = await makePlace("file");
  return storePlace({ directory, url: server.url, remove });
};

const plain = (sql: string): Statement => ({ sql, args: {} });

async function tablesOf(connection: Connection): Promise<string[]> {
  const named = plain("select name from sqlite_master where type = 'table' and name <> 'migrations'");
  return (await connection.read(named)).rows.flat().map(String);
}

/** Also of what SQLite itself notes, such as the highest numbers given. Most tables are empty after a test. */
async function emptying(connection: Connection): Promise<Statement[]> {
  tables ??= await tablesOf(connection);
  const filled = tables.map((table) => `select '${table}' where exists (select 1 from ${table})`);
  const { rows } = await connection.read(plain(filled.join(" union all ")));
  return rows.flat().map((table) => plain(`delete from ${table}`));
}

async function rowsOf(connection: Connection): Promise<Statement[]> {
  const made: Statement[] = [];
  for (const table of await tablesOf(connection)) {
    const { rows } = await connection.read(plain(`select * from ${table}`));
    for (const row of rows) made.push(plain(`insert into ${table} values (${row.map(quoted).join(", ")})`));
  }
  return made;
}

function quoted(cell: Cell): string {
  return typeof cell === "string" ? `'${cell.replaceAll("'", "''")}'` : String(cell);
}

describeContract("file", async () => storePlace(await makePlace("file")));
describeContract("libSQL server", onServer);
