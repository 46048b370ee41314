/** `bun run bench:jobs`: queue throughput, on a file and on libSQL server, next to Redis with RQ. Prints JSON. */
import process from "node:process";
import { sqldProgram, startSqld } from "../testbed/sqld.ts";
import { type BenchNode, bulkRequest, caller, makeNode, request } from "./jobs-node.ts";
import { measureRq } from "./jobs-rq.ts";
import { measureService } from "./jobs-service.ts";

const quick = process.argv.includes("--quick");
const scale = quick ? 0.1 : 1;
const count = (full: number) => Math.max(50, Math.round(full * scale));
const signal = new AbortController().signal;

const figures: Record<string, unknown> = { file: await measure(undefined) };
if (sqldProgram()) {
  const server = await startSqld();
  figures.sqld = await measure(server.url);
  await server.stop();
}
figures.service = await measureService(count(3_000));
figures.rq = (await measureRq(count(500))) ?? "redis-server and python3-rq are not installed";
console.log(JSON.stringify({ bench: "jobs", quick, figures }, null, 2));
process.exit(0);

async function measure(url: string | undefined): Promise<object> {
  return {
    ...(await rates(url)),
    latency_ms: await latencies(url),
    stored: await withStored(url, count(100_000)),
  };
}

/** Submissions while nothing runs, then jobs from submission to end. */
async function rates(url: string | undefined): Promise<object> {
  const idle = await makeNode(url);
  const single = await submitMany(idle, count(5_000));
  const bulks = count(5_000) / 1_000;
  const from = performance.now();
  for (let at = 0; at < bulks; at++) await idle.jobs.bulk(bulkRequest(1_000), caller);
  const bulk = (performance.now() - from) / 1000;
  await idle.start();
  const drainedFrom = performance.now();
  const waiting = idle.waiting();
  await drained(idle);
  const drain = waiting / ((performance.now() - drainedFrom) / 1000);
  const endToEnd: Record<string, number> = {};
  for (const queue_strategy of ["fifo", "pinned"]) {
    const began = performance.now();
    await submitMany(idle, count(10_000), { options: { queue_strategy } });
    await drained(idle);
    endToEnd[queue_strategy] = Math.round(count(10_000) / ((performance.now() - began) / 1000));
  }
  await idle.stop();
  return {
    submissions_per_s: { single: Math.round(single), bulk_of_1000: Math.round((bulks * 1_000) / bulk) },
    jobs_per_s: { drain: Math.round(drain), end_to_end: endToEnd },
  };
}

/** @returns submissions per second by 64 concurrent callers. */
async function submitMany(node: BenchNode, total: number, more: object = {}): Promise<number> {
  let next = 0;
  const from = performance.now();
  const one = async () => {
    while (next < total) await node.jobs.submit(request(`h${next++ % 500}`, more), caller);
  };
  await Promise.all(Array.from({ length: 64 }, one));
  return total / ((performance.now() - from) / 1000);
}

async function drained(node: BenchNode): Promise<void> {
  for (;;) {
    if (node.waiting() === 0) {
      const { rows } = await node.store.raw(
        "select count(*) from jobs where status in ('queued', 'running')",
      );
      if (rows[0]?.[0] === 0) return;
    }
    await Bun.sleep(2);
  }
}

/** Latency of a single job behind a bulk of waiting jobs. */
async function latencies(url: string | undefined): Promise<Record<string, object>> {
  const found: Record<string, object> = {};
  for (const queued of [1, 100, 10_000]) {
    const node = await makeNode(url);
    await node.start();
    const waits: number[] = [];
    for (let round = 0; round < (queued > 1_000 ? 4 : 40); round++) {
      await node.jobs.bulk(bulkRequest(queued, { options: { ttl: 600 } }), caller);
      for (let probe = 0; probe < (queued > 1_000 ? 10 : 1); probe++) {
        const from = performance.now();
        const { id } = await node.jobs.submit(request("probe"), { ...caller, keyId: "k2" });
        await node.jobs.waitFor(id, 60_000, signal);
        waits.push(performance.now() - from);
      }
      if (round % 4 === 3) await drained(node);
    }
    await drained(node);
    await node.stop();
    found[`queued_${queued}`] = { samples: waits.length, ...percentiles(waits) };
  }
  return found;
}

function percentiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 100) / 100;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Memory, reads and job rate with many stored jobs. */
async function withStored(url: string | undefined, total: number): Promise<object> {
  const node = await makeNode(url);
  const before = residentMiB();
  const result = JSON.stringify({
    type: "failed",
    retval: { x: "y".repeat(800) },
    error: { type: "DriverError", message: "x" },
  });
  const ids: string[] = [];
  for (let at = 0; at < total; at += 2_000) {
    const some = Array.from({ length: Math.min(2_000, total - at) }, (_, index) =>
      stored(node, at + index, result),
    );
    ids.push(...some.map((job) => job.id));
    await node.store.jobs.insert(some);
  }
  const memory = residentMiB();
  const byId = await timed(200, async (at) => {
    for await (const _ of node.jobs.list({ id: ids[(at * 7919) % total] ?? "" }, caller, {}));
  });
  const byStatus = await timed(20, async () => {
    const { pieces } = await node.jobs.page({ status: "failed" }, caller, { limit: 100 });
    for await (const _ of pieces);
  });
  const allFrom = performance.now();
  for await (const _ of node.jobs.list({}, caller, {}));
  const all = performance.now() - allFrom;
  await node.start();
  const began = performance.now();
  await submitMany(node, count(5_000));
  await drained(node);
  const rate = count(5_000) / ((performance.now() - began) / 1000);
  const figures = {
    jobs: total,
    memory_mib: { before, after: memory },
    file_mib: Math.round(node.fileBytes() / 1024 / 1024),
    get_by_id_ms: byId,
    get_100_by_status_ms: byStatus,
    get_all_ms: Math.round(all),
    jobs_per_s: Math.round(rate),
  };
  await node.stop();
  return figures;
}

function stored(node: BenchNode, at: number, failure: string) {
  const host = `h${at % 500}`;
  return {
    id: node.store.makeId(),
    bulkId: null,
    strategy: "fifo" as const,
    queue: "fifo",
    lane: "fifo/k1/",
    host,
    hostKey: host,
    driver: "noop",
    deviceType: null,
    operation: "query" as const,
    caller: { keyId: "k1", name: "bench", from: null },
    submitter: { kind: "key" as const, name: "bench" },
    ttlMs: 300_000,
    resultTtlMs: 86_400_000,
    retries: 0,
    warnings: [],
    payload: "{}",
    failure,
  };
}

async function timed(rounds: number, work: (at: number) => Promise<void>): Promise<object> {
  const times: number[] = [];
  for (let at = 0; at < rounds; at++) {
    const from = performance.now();
    await work(at);
    times.push(performance.now() - from);
  }
  return percentiles(times);
}

function residentMiB(): number {
  Bun.gc(true);
  return Math.round(process.memoryUsage().rss / 1024 / 1024);
}
