/** A libSQL server that can be killed and restarted on its data and port, or frozen. */
import { join } from "node:path";
import process from "node:process";
import { freePort } from "../../src/testkit/port.ts";
import { type Sqld, startSqld } from "../testbed/sqld.ts";

export interface ChaosServer {
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export async function createServer(folder: string): Promise<ChaosServer> {
  const database = join(folder, "sqld");
  const port = await freePort();
  let running: Sqld | undefined = await startSqld({ database, port });
  const send = (signal: NodeJS.Signals) => {
    if (running) process.kill(running.pid, signal);
  };
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  return {
    url: `http://127.0.0.1:${port}`,
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
