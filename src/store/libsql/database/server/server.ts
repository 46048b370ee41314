/** A connection to a libSQL server: with kept streams if it speaks Hrana 3, otherwise through the package's client. */
import type { Connection, Target } from "../connection.ts";
import { NotSpoken, openStreams } from "./server-streams.ts";

export function openServer(target: Target): Connection {
  let connection = openStreams(target);
  let replaced: Promise<void> | undefined;

  async function replace(): Promise<void> {
    const { openClient } = await import("./server-client.ts");
    connection.close();
    connection = openClient(target);
  }

  async function ask<T>(request: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await request(connection);
    } catch (error) {
      if (!(error instanceof NotSpoken)) throw error;
      replaced ??= replace();
      await replaced;
      return request(connection);
    }
  }

  return {
    turn: () => connection.turn(),
    batch: (statements) => ask(({ batch }) => batch(statements)),
    read: (statement) => ask(({ read }) => read(statement)),
    script: (sql) => ask(({ script }) => script(sql)),
    // When a server fsyncs is its own setting (docs/guides/scaling.md).
    synced: () => undefined,
    reopen: () => connection.reopen(),
    close: () => connection.close(),
  };
}
