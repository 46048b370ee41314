/** Databases for the tests of a file: one server, and a copy of an empty database for each test. */
import { afterAll } from "vitest";
import {
  blank,
  type Postgres,
  type PostgresOptions,
  startPostgres,
} from "../../../scripts/testbed/postgres.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { Connection } from "../../../src/store/postgres/database/connection.ts";
import type { WrapConnection } from "../../../src/store/postgres/database/open.ts";
import { createStore, type PostgresStore, type StoreOptions } from "../../../src/store/postgres/store.ts";
import { masterKey } from "../../support/node.ts";
import { temporary } from "../../support/temporary.ts";
import type { StorePlace } from "../contract/fixture.ts";
import { closeStore, endStore } from "../support.ts";

/** A busy disk may take seconds for a write; this is not under test here. */
const patienceMs = 60_000;

export function openPostgres(
  url: string,
  directory: string,
  more: Partial<StoreOptions> = {},
): Promise<PostgresStore> {
  return createStore({
    directory,
    url,
    masterKey,
    log: silentLog,
    patienceMs,
    ownership: { release() {} },
    ...more,
  });
}

/** Stops the server after the tests of the file. */
export function useServer(options: PostgresOptions = {}): () => Promise<Postgres> {
  let server: Promise<Postgres> | undefined;
  afterAll(async () => (await server)?.stop());
  return () => {
    server ??= startPostgres(options);
    return server;
  };
}

/** A database of its own for each call, with the schema. */
export function useDatabases(
  serverOf: () => Promise<Postgres>,
): () => Promise<{ url: string; remove(): Promise<void> }> {
  let template: Promise<void> | undefined;
  let count = 0;

  async function makeTemplate(server: Postgres): Promise<void> {
    await server.create("made", blank);
    const folder = temporary();
    // Its key and the ledger's belong to the master key of all tests.
    const store = await openPostgres(server.url("made"), folder.path);
    await endStore(store);
    folder.remove();
  }

  return async () => {
    const server = await serverOf();
    template ??= makeTemplate(server);
    await template;
    const name = `test_${++count}`;
    await server.create(name, "made");
    return { url: server.url(name), remove: () => server.drop(name) };
  };
}

/**
 * One database for all tests of a file, and the connections of one store for all of them: making a database takes longer
 * than emptying it, and new connections make the server read its catalogue anew.
 */
export function usePostgres(options: PostgresOptions = {}): () => Promise<StorePlace> {
  const serverOf = useServer(options);
  const makeDatabase = useDatabases(serverOf);
  let only: Promise<{ url: string; empty(): Promise<void> }> | undefined;
  let kept: Connection | undefined;
  // Registered after the server's, so it runs before.
  afterAll(() => kept?.close());

  const wrap: WrapConnection = (made) => {
    // It connects with its first statement.
    if (kept !== undefined) void made.close();
    kept ??= made;
    return { ...kept, close: async () => {} };
  };

  async function make() {
    const { url } = await makeDatabase();
    const server = await serverOf();
    const sql = server.session(new URL(url).pathname.slice(1));
    await sql(emptyFunction);
    return { url, empty: async () => void (await sql("select empty_all()")) };
  }

  return async () => {
    only ??= make();
    const { url, empty } = await only;
    await empty();
    const folder = temporary();
    return {
      open: (keys) => openPostgres(url, folder.path, { ...keys, wrap }),
      close: closeStore,
      async remove(store) {
        if (store !== undefined) await endStore(store);
        folder.remove();
      },
    };
  };
}

const tables = "select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations'";

const emptyFunction = `create function empty_all() returns void language plpgsql as $$
declare
  name text;
  is_filled bool;
begin
  perform set_config('session_replication_role', 'replica', true);
  for name in ${tables} loop
    execute format('select exists (select from %I)', name) into is_filled;
    if is_filled then execute format('delete from %I', name); end if;
  end loop;
  for name in select sequencename from pg_sequences where schemaname = 'public' loop
    perform setval(format('%I', name)::regclass, 1, false);
  end loop;
  insert into inventory_state (id, revision, purged) values (1, 0, 0);
end $$`;
