/** No-op jobs through the whole service over HTTP, next to the store alone. */
import { readdirSync, readFileSync } from "node:fs";
import { median, timed } from "../cli/rows.ts";
import { caller, makeNode, request as plainRequest } from "../jobs-node.ts";
import { noopDriver } from "../jobs-service.ts";
import { keepAlive } from "../keep-alive.ts";
import { type BenchService, startService } from "../service.ts";
import type { SpeedFigure } from "./row.ts";

const connections = 64;

/**
 * @param database URL of a libSQL server; undefined: a file. @param floor jobs per second inserted into such
 * a store
 */
export async function measureNoop(quick: boolean, floor: number, database?: string): Promise<SpeedFigure> {
  const jobs = quick ? 2_000 : 10_000;
  const settings: Record<string, string> = database ? { PATCHBAY_DATABASE_URL: database } : {};
  const service = await startService(noopDriver, settings);
  try {
    const run = await runnerOf(service);
    // Warm up the service.
    await run("fifo", jobs);
    const cpuBefore = cpuMsOf(service.pid);
    const fifo = await run("fifo", jobs);
    const cpuUs = ((cpuMsOf(service.pid) - cpuBefore) * 1_000) / jobs;
    const pinned = await run("pinned", jobs);
    const alone = await latenciesOf(service, quick ? 50 : 300);
    return {
      value: Math.round(fifo),
      floor: { name: "jobs put into its store, without HTTP, and nothing run", value: Math.round(floor) },
      details: {
        ...{ pinned: Math.round(pinned), cpu_us_each: Math.round(cpuUs) },
        // Of one job, from its submission to its result, while no other runs.
        ...{ one_ms: rounded(median(alone)), one_p90_ms: rounded(alone[Math.floor(alone.length * 0.9)]) },
      },
    };
  } finally {
    await service.stop();
  }
}

/** @returns jobs per second, from the first submission to the last end. */
async function runnerOf(service: BenchService) {
  return async (strategy: "fifo" | "pinned", jobs: number): Promise<number> => {
    const client = await keepAlive(service.url, connections, (n) => submission(service, strategy, n));
    const from = performance.now();
    await client.run(jobs);
    while (!(await isIdle(service))) await Bun.sleep(5);
    const seconds = (performance.now() - from) / 1000;
    client.close();
    return jobs / seconds;
  };
}

/** In ms, sorted. */
async function latenciesOf({ call }: BenchService, jobs: number): Promise<number[]> {
  const took: number[] = [];
  const one = async () => {
    const body = { driver: "noop", connection_args: { host: "h0" }, command: "show version" };
    const text = await (await call("POST", "/device/execute", body, 60)).text();
    if (!text.includes('"finished"')) throw new Error(text);
  };
  for (let n = 0; n < jobs; n++) took.push(await timed(one));
  return took.sort((a, b) => a - b);
}

const rounded = (ms = 0) => Math.round(ms * 100) / 100;

function submission({ key }: BenchService, queue_strategy: string, n: number): string {
  const body = JSON.stringify({
    driver: "noop",
    connection_args: { host: `h${n % 500}` },
    command: "show version",
    options: { queue_strategy },
  });
  const head = [
    "POST /device/execute HTTP/1.1",
    "Host: 127.0.0.1",
    `X-API-KEY: ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

export async function isIdle({ call }: BenchService): Promise<boolean> {
  for (const status of ["queued", "running"]) {
    const text = await (await call("GET", `/job?status=${status}&limit=1`)).text();
    if (!text.includes('"data":[]')) return false;
  }
  return true;
}

/** Submissions per second by 64 concurrent callers in this process, while nothing runs. */
export async function storeAlone(quick: boolean, database?: string): Promise<number> {
  const jobs = quick ? 1_000 : 4_000;
  const node = await makeNode(database);
  let next = 0;
  const from = performance.now();
  const one = async () => {
    while (next < jobs) await node.jobs.submit(plainRequest(`h${next++ % 500}`), caller);
  };
  await Promise.all(Array.from({ length: connections }, one));
  const seconds = (performance.now() - from) / 1000;
  await node.stop();
  return jobs / seconds;
}

/** CPU time of all threads of a process, in ms. */
export function cpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + cpuMsOfThread(`/proc/${pid}/task/${thread}/schedstat`), 0);
}

/** CPU time of its main thread, in ms. */
export function mainMsOf(pid: number): number {
  return cpuMsOfThread(`/proc/${pid}/task/${pid}/schedstat`);
}

/** Returns 0 for a thread that has ended meanwhile. */
function cpuMsOfThread(path: string): number {
  try {
    return Number(readFileSync(path, "latin1").split(" ")[0]) / 1e6;
  } catch {
    return 0;
  }
}
