/**
 * Nodes on one server, each a service in its own process, with callers that submit to all of them
 * equally.
 */
import process from "node:process";
import { within } from "../../../src/base/time/deadline.ts";
import { descendantsOf } from "../../../src/testkit/listening.ts";
import { startPostgres } from "../../testbed/postgres.ts";
import { startSqld } from "../../testbed/sqld.ts";
import { noopDriver } from "../jobs-service.ts";
import { type BenchService, startService } from "../service.ts";
import { cpuMsOf, isIdle } from "./shared-noop.ts";

export interface SharedNodes {
  readonly nodes: readonly BenchService[];
  /** Starts more nodes up to this number. */
  grow(count: number): Promise<void>;
  /**
   * All callers submit to one node after the other, for this long to each: among many at once, a node would run too few
   * jobs for its code to be compiled.
   */
  warmUp(seconds: number): Promise<void>;
  /**
   * All callers submit for this long; then waits until their jobs have ended.
   * @param callers in all; default: those that keep one node busy
   * @throws if progress stops, with the current state
   */
  run(seconds: number, callers?: number): Promise<NodesRun>;
  stop(): Promise<void>;
}

/** Figures per job relate to the jobs submitted during the run. */
export interface NodesRun {
  readonly jobsPerS: number;
  /** Reads and transactions that the nodes sent to the server. */
  readonly requestsPerJob: number;
  /** CPU time. */
  readonly serverUsPerJob: number;
  readonly nodesUsPerJob: number;
  /** The longest period in which no job ended. */
  readonly standstillMs: number;
  /** Submissions answered with 503. */
  readonly refused: number;
  /**
   * Jobs that had not ended 5 s after the last submission; a node checks every 10 s for claims whose response
   * was lost.
   */
  readonly unended: number;
}

/** In total, over all nodes. */
export const usualCallers = 64;
const startedAtOnce = 4;
/** A run that takes this much longer than expected is aborted. */
const patienceMs = 15_000;
const drainMs = 5_000;

interface NodesServer {
  /** Of nodes. */
  readonly address: string;
  pids(): readonly number[];
  rows(sql: string): Promise<readonly (readonly unknown[])[]>;
  /** Whether it answers at all. */
  health(): Promise<string>;
  stop(): Promise<void>;
}

/** @param addressOf maps the server's URL to the URL that nodes use */
export async function startLibsql(
  addressOf: (url: string) => string | Promise<string> = (url) => url,
): Promise<NodesServer> {
  // The setting that docs/guides/scaling.md recommends for several nodes.
  const server = await startSqld({ connections: 2 });
  return {
    address: `${await addressOf(server.url)}/?streams=each`,
    pids: () => [server.pid],
    rows: (sql) => ask(server.url, sql),
    health: () =>
      fetch(`${server.url}/health`, { signal: AbortSignal.timeout(1_000) }).then(
        ({ status }) => String(status),
        (error: unknown) => String(error),
      ),
    stop: server.stop,
  };
}

/** With the settings of its package: what is committed is on disk. */
export async function startOnPostgres(): Promise<NodesServer> {
  const server = await startPostgres({ durable: true });
  await server.create("bench");
  return {
    address: server.url("bench"),
    // The processes of its connections stay as long as these do.
    pids: () => [server.pid, ...descendantsOf(server.pid)],
    rows: (sql) => server.sql(sql, "bench"),
    health: () => server.sql("select 1").then(() => "answers", String),
    stop: server.stop,
  };
}

export async function startNodes(
  startServer: () => Promise<NodesServer> = startLibsql,
): Promise<SharedNodes> {
  const server = await startServer();
  const { address } = server;
  const nodes: BenchService[] = [];
  let submitted = 0;
  let refused = 0;
  let stuck = false;

  const start = (number: number) =>
    startService(noopDriver, {
      PATCHBAY_DATABASE_URL: address,
      PATCHBAY_MASTER_KEY: "b".repeat(64),
      PATCHBAY_NODE: `bench-${number}`,
    });

  /** A busy server may refuse a write; retry it, as a client does. */
  async function submit(node: BenchService, n: number): Promise<void> {
    const answer = await node.call("POST", "/device/execute", {
      driver: "noop",
      connection_args: { host: `h${n % 500}` },
      command: "show version",
      options: { queue_strategy: "fifo" },
    });
    const text = await answer.text();
    if (answer.status === 201) submitted++;
    else if (answer.status !== 503) throw new Error(text);
    else {
      refused++;
      await Bun.sleep(100);
    }
  }

  async function submitTo(
    targets: readonly BenchService[],
    seconds: number,
    callers = usualCallers,
  ): Promise<void> {
    const until = performance.now() + seconds * 1000;
    let next = 0;
    const caller = async (node: BenchService) => {
      while (performance.now() < until && !stuck) await submit(node, next++);
    };
    const each = Math.ceil(callers / targets.length);
    await Promise.all(targets.flatMap((node) => Array.from({ length: each }, () => caller(node))));
  }

  async function drain(): Promise<void> {
    const drained = performance.now() + drainMs;
    for (const node of nodes.slice(0, 1))
      while (!stuck && performance.now() < drained && !(await isIdle(node))) await Bun.sleep(10);
  }

  async function standsOn(): Promise<Error> {
    stuck = true;
    const health = await server.health();
    const states = await server.rows("select status, count(*) from jobs group by status").catch(String);
    return new Error(
      `${nodes.length} nodes stood still: ${submitted} jobs submitted, ${refused} refused; jobs ${JSON.stringify(states)}; /health of the server: ${health}`,
    );
  }

  const serverMs = () => server.pids().reduce((sum, pid) => sum + cpuMsOfLiving(pid), 0);
  const nodesMs = () => nodes.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0);

  return {
    nodes,
    async grow(count) {
      while (nodes.length < count) {
        const more = Math.min(startedAtOnce, count - nodes.length);
        nodes.push(...(await Promise.all(Array.from({ length: more }, (_, at) => start(nodes.length + at)))));
      }
    },
    async warmUp(seconds) {
      for (const node of nodes) await submitTo([node], seconds);
      await drain();
    },
    async run(seconds, callers) {
      const before = { submitted, refused, serverMs: serverMs(), nodesMs: nodesMs() };
      const asked = await requestsOf(nodes);
      const startedAt = Date.now();
      const late = new Error("late");
      const never = new AbortController().signal;
      const submitAll = async () => {
        await submitTo(nodes, seconds, callers);
        await drain();
      };
      await within(submitAll(), seconds * 1000 + patienceMs, never, () => late).catch(
        async (error: unknown) => {
          throw error === late ? await standsOn() : error;
        },
      );
      const { jobs, tookMs, standstillMs } = await endsSince(server, startedAt);
      return {
        jobsPerS: (jobs * 1000) / tookMs,
        requestsPerJob: ((await requestsOf(nodes)) - asked) / jobs,
        serverUsPerJob: ((serverMs() - before.serverMs) * 1000) / jobs,
        nodesUsPerJob: ((nodesMs() - before.nodesMs) * 1000) / jobs,
        standstillMs,
        refused: refused - before.refused,
        unended: Math.max(0, submitted - before.submitted - jobs),
      };
    },
    async stop() {
      // Kill the nodes: they cannot drain into a server that hangs.
      if (stuck) for (const { pid } of nodes) process.kill(pid, "SIGKILL");
      await Promise.all(nodes.map((node) => node.stop()));
      await server.stop();
    },
  };
}

/** 0 for a process that has ended meanwhile. */
function cpuMsOfLiving(pid: number): number {
  try {
    return cpuMsOf(pid);
  } catch {
    return 0;
  }
}

async function requestsOf(nodes: readonly BenchService[]): Promise<number> {
  const texts = await Promise.all(nodes.map(async ({ call }) => (await call("GET", "/metrics")).text()));
  const counts = texts.flatMap((text) => [...text.matchAll(/^patchbay_store_seconds_count\S* (\d+)/gm)]);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/**
 * Number of ended jobs, how long they took, and the longest time between two ends, or from the start to the
 * first.
 */
async function endsSince(server: NodesServer, from: number) {
  const [[jobs, last, longest] = []] = await server.rows(
    `select count(*), max(ended_at), max(ended_at - before) from (select ended_at, lag(ended_at, 1, ${from})
    over (order by ended_at) as before from jobs where ended_at >= ${from}) ends`,
  );
  return { jobs: Number(jobs), tookMs: Number(last ?? from + 1) - from, standstillMs: Number(longest ?? 0) };
}

interface HranaRows {
  readonly results: readonly {
    readonly response: { readonly result: { readonly rows: readonly (readonly { value?: string }[])[] } };
  }[];
}

/** Queries the server directly, on its own stream. */
async function ask(url: string, sql: string): Promise<(string | undefined)[][]> {
  const answer = await fetch(`${url}/v3/pipeline`, {
    method: "POST",
    body: JSON.stringify({ requests: [{ type: "execute", stmt: { sql } }, { type: "close" }] }),
    signal: AbortSignal.timeout(5_000),
  });
  const { results } = (await answer.json()) as HranaRows;
  return (results[0]?.response.result.rows ?? []).map((row) => row.map(({ value }) => value));
}
