/** A database server that can be killed and restarted on its data and port, or frozen. */
import { join } from "node:path";
import { openConnection } from "../../src/store/libsql/database/connect.ts";
import { descendantsOf } from "../../src/testkit/listening.ts";
import { freePort } from "../../src/testkit/port.ts";
import { startPostgres } from "../testbed/postgres.ts";
import { signalProcess } from "../testbed/process.ts";
import { type Sqld, startSqld } from "../testbed/sqld.ts";

export const serverKinds = ["sqld", "postgres"] as const;
export type ServerKind = (typeof serverKinds)[number];

export interface ChaosServer {
  /** For nodes. */
  readonly url: string;
  /** Rows of a query. */
  rows(sql: string): Promise<readonly (readonly unknown[])[]>;
  start(): Promise<void>;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** The value of `--store`. */
export function serverKindOf(name: string): ServerKind {
  const kind = serverKinds.find((known) => known === name);
  if (kind === undefined) throw new Error(`--store is one of ${serverKinds.join(", ")}.`);
  return kind;
}

export function createServer(folder: string, kind: ServerKind = "sqld"): Promise<ChaosServer> {
  return kind === "sqld" ? createSqld(folder) : createPostgres();
}

async function createSqld(folder: string): Promise<ChaosServer> {
  const database = join(folder, "sqld");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let running: Sqld | undefined = await startSqld({ database, port });
  const send = (signal: NodeJS.Signals) => {
    if (running) signalProcess(running.pid, signal);
  };
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  return {
    url,
    async rows(sql) {
      const connection = await openConnection({ at: url, shared: true });
      try {
        return (await connection.read({ sql, args: {} })).rows;
      } finally {
        connection.close();
      }
    },
    async start() {
      running ??= await startSqld({ database, port });
    },
    async kill() {
      send("SIGKILL");
      await stop();
    },
    freeze: () => send("SIGSTOP"),
    thaw: () => send("SIGCONT"),
    async stop() {
      send("SIGCONT");
      await stop();
    },
  };
}

/** With the settings of its package: what is committed is on disk. */
async function createPostgres(): Promise<ChaosServer> {
  let server = await startPostgres({ durable: true });
  let runs = true;
  await server.create("chaos");
  const send = (signal: NodeJS.Signals) => {
    if (runs) for (const pid of [server.pid, ...descendantsOf(server.pid)]) signalProcess(pid, signal);
  };
  return {
    url: server.url("chaos"),
    rows: (sql) => server.sql(sql, "chaos"),
    async start() {
      if (!runs) server = await server.again();
      runs = true;
    },
    async kill() {
      runs = false;
      await server.kill();
    },
    freeze: () => send("SIGSTOP"),
    thaw: () => send("SIGCONT"),
    async stop() {
      send("SIGCONT");
      await server.stop();
    },
  };
}
