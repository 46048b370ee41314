/** Times what the database is asked. */
import type { StoreCall } from "../metrics/port.ts";
import type { StoreOptions } from "../store/libsql/store.ts";

type Wrap = NonNullable<StoreOptions["wrap"]>;

/** @param answered is told each read and each transaction, also those that are tried again. */
export function observeStore(answered: (call: StoreCall) => void): Wrap {
  async function timed<T>(kind: StoreCall["kind"], ask: () => Promise<T>): Promise<T> {
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

  return (connection) => ({
    batch: (statements) => timed("write", () => connection.batch(statements)),
    read: (statement) => timed("read", () => connection.read(statement)),
    script: (sql) => connection.script(sql),
    reopen: () => connection.reopen(),
    close: () => connection.close(),
  });
}
