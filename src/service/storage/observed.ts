/** Measures the calls of a store's database. */
import type { StoreCall } from "../../metrics/port.ts";
import type { StoreOptions as LibsqlOptions } from "../../store/libsql/store.ts";
import type { StoreOptions as PostgresOptions } from "../../store/postgres/store.ts";

/** Receives each read and each transaction, including retries. */
export type Answered = (call: StoreCall) => void;
type Wrap<O extends { readonly wrap?: unknown }> = NonNullable<O["wrap"]>;

export function observedLibsql(answered: Answered): Wrap<LibsqlOptions> {
  return (connection) => ({
    turn: () => connection.turn(),
    // A transaction ends when it is on disk; its rows are available earlier.
    batch(statements) {
      const written = connection.batch(statements);
      void timed(answered, "write", async () => {
        await written;
        await connection.synced();
      }).catch(() => {});
      return written;
    },
    synced: connection.synced,
    read: (statement) => timed(answered, "read", () => connection.read(statement)),
    script: (sql) => connection.script(sql),
    reopen: () => connection.reopen(),
    close: () => connection.close(),
  });
}

export function observedPostgres(answered: Answered): Wrap<PostgresOptions> {
  return (connection) => ({
    ...connection,
    batch: (...given) => timed(answered, "write", () => connection.batch(...given)),
    read: (statement) => timed(answered, "read", () => connection.read(statement)),
  });
}

async function timed<T>(answered: Answered, kind: StoreCall["kind"], ask: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  let failed = true;
  try {
    const answer = await ask();
    failed = false;
    return answer;
  } finally {
    answered({ kind, seconds: (performance.now() - startedAt) / 1000, failed });
  }
}
