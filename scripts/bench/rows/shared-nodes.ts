/** Nodes on one libSQL server, each a service in a process of its own, and callers who submit to all of them alike. */
import { startSqld } from "../../testbed/sqld.ts";
import { noopDriver } from "../jobs-service.ts";
import { type BenchService, startService } from "../service.ts";
import { cpuMsOf, isIdle } from "./shared-noop.ts";

export interface SharedNodes {
  readonly nodes: readonly BenchService[];
  /** Starts further ones until there are so many. */
  grow(count: number): Promise<void>;
  /** @returns jobs a second, from the first submission to the last end. */
  rate(jobs: number): Promise<number>;
  /** Submissions that were answered with 503 so far. */
  refused(): number;
  /** Of the server of the store, in ms of processor time so far. */
  serverMs(): number;
  stop(): Promise<void>;
}

/** Of all nodes together. */
const callers = 64;
const startedAtOnce = 4;

/** @param addressOf where nodes find the server, by where it is */
export async function startNodes(
  addressOf: (url: string) => string | Promise<string> = (url) => url,
): Promise<SharedNodes> {
  const server = await startSqld();
  const address = await addressOf(server.url);
  const nodes: BenchService[] = [];
  let refused = 0;

  const start = (number: number) =>
    startService(noopDriver, {
      PATCHBAY_DATABASE_URL: address,
      PATCHBAY_MASTER_KEY: "b".repeat(64),
      PATCHBAY_NODE: `bench-${number}`,
    });

  /** A server that many write to may refuse one: it is sent again, as a client does. */
  async function submitOne(node: BenchService, n: number): Promise<void> {
    for (;;) {
      const answer = await node.call("POST", "/device/execute", {
        driver: "noop",
        connection_args: { host: `h${n % 500}` },
        command: "show version",
        options: { queue_strategy: "fifo" },
      });
      const text = await answer.text();
      if (answer.status === 201) return;
      if (answer.status !== 503) throw new Error(text);
      refused++;
      await Bun.sleep(100);
    }
  }

  async function submitTo(node: BenchService, jobs: number): Promise<void> {
    let next = 0;
    const caller = async () => {
      while (next < jobs) await submitOne(node, next++);
    };
    await Promise.all(Array.from({ length: Math.ceil(callers / nodes.length) }, caller));
  }

  return {
    nodes,
    async grow(count) {
      while (nodes.length < count) {
        const more = Math.min(startedAtOnce, count - nodes.length);
        nodes.push(...(await Promise.all(Array.from({ length: more }, (_, at) => start(nodes.length + at)))));
      }
    },
    async rate(jobs) {
      const each = Math.ceil(jobs / nodes.length);
      const from = performance.now();
      await Promise.all(nodes.map((node) => submitTo(node, each)));
      for (const node of nodes.slice(0, 1)) while (!(await isIdle(node))) await Bun.sleep(10);
      return (each * nodes.length) / ((performance.now() - from) / 1000);
    },
    refused: () => refused,
    serverMs: () => cpuMsOf(server.pid),
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await server.stop();
    },
  };
}
