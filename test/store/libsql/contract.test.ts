/** libSQL fulfils the store contract, as a file and as a server. */
import { afterAll } from "vitest";
import { type Sqld, startSqld } from "../../../scripts/testbed/sqld.ts";
import { openConnection } from "../../../src/store/libsql/database/connect.ts";
import type { MakeStorePlace, StorePlace } from "../contract/fixture.ts";
import { describeContract } from "../contract/suite.ts";
import { closeStore, makePlace, openStore, type TestPlace } from "../support.ts";

function storePlace({ remove, ...place }: TestPlace): StorePlace {
  return { open: (keys) => openStore(place, keys), close: closeStore, remove };
}

/** One server for all tests: starting takes longer than emptying. */
let server: Sqld | undefined;
afterAll(() => server?.stop());

const onServer: MakeStorePlace = async () => {
  server ??= await startSqld();
  await dropTables(server.url);
  const { directory, remove } = await makePlace("file");
  return storePlace({ directory, url: server.url, remove });
};

async function dropTables(url: string): Promise<void> {
  const connection = await openConnection({ at: url, shared: true });
  const { rows } = await connection.read({
    sql: "select name from sqlite_master where type = 'table' and name not like '%sql%'",
    args: {},
  });
  await connection.batch(rows.map(([name]) => ({ sql: `drop table ${String(name)}`, args: {} })));
  connection.close();
}

describeContract("file", async () => storePlace(await makePlace("file")));
describeContract("libSQL server", onServer);
