/** Measures database calls. */
import type { StoreCall } from "../metrics/port.ts";
import type { StoreOptions } from "../store/libsql/store.ts";

type Wrap = NonNullable<StoreOptions["wrap"]>;
type Connection = ReturnType<Wrap>;
type Statement = Parameters<Connection["batch"]>[0][number];
type Rows = Awaited<ReturnType<Connection["batch"]>>[number];

/** @param answered receives each read and each transaction, including retries. */
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

  /** A transaction ends when it is on disk; its rows are available earlier. */
  function timedWrite(connection: Connection, statements: readonly Statement[]): Promise<Rows[]> {
    const written = connection.batch(statements);
    void timed("write", async () => {
      await written;
      await connection.synced();
    }).catch(() => {});
    return written;
  }

  return (connection) => ({
    turn: () => connection.turn(),
    batch: (statements) => timedWrite(connection, statements),
    synced: connection.synced,
    read: (statement) => timed("read", () => connection.read(statement)),
    script: (sql) => connection.script(sql),
    reopen: () => connection.reopen(),
    close: () => connection.close(),
  });
}
