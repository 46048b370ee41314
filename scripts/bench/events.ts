/**
 * `bun run bench:events`: jobs per second of a bulk of 1,000 with and without 1,000 listeners, alternating.
 * Prints JSON.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { type BenchService, startService } from "./service.ts";

const numberOf = (flag: string, ordinary: number) => {
  const at = process.argv.indexOf(flag);
  return at < 0 ? ordinary : Number(process.argv[at + 1]);
};
const jobs = numberOf("--jobs", 1_000);
const listeners = numberOf("--listeners", 1_000);
const rounds = numberOf("--rounds", 5);
const folder = mkdtempSync(join(tmpdir(), "bench-events-"));
const gate = join(folder, "gate");

/** Its jobs block until the gate file contains their number. */
const plugin = `import { readFileSync } from "node:fs";
import { defineDriver } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } };
let open = 0;
const isOpen = (round) => open >= round || (open = Number(readFileSync(${JSON.stringify(gate)}, "utf8"))) >= round;
export default defineDriver({
  name: "gated", connection: any, query: any, strategy: "fifo",
  target: ({ host }) => ({ host, port: 22 }),
  open: async () => ({ async query(command) {
    while (!isOpen(Number(command))) await new Promise((done) => setTimeout(done, 20));
    return "ok";
  } }),
});
`;

const counts = v.object({
  connected: v.number(),
  states: v.number(),
  ends: v.number(),
  slow: v.number(),
  resets: v.number(),
  bytes: v.number(),
  closed: v.number(),
});
const bulkAnswer = v.object({ data: v.object({ bulk_id: v.string() }) });
const statusesOf = v.object({ data: v.array(v.object({ status: v.string() })) });

let gateNumber = 0;
writeFileSync(gate, "0");
const service = await startService(plugin);
const plain: Round[] = [];
const watched: Round[] = [];
const heard: object[] = [];
// The first round of each is a warm-up and does not count.
for (let round = 0; round <= rounds; round++) {
  const without = await measure(0);
  const withAll = await measure(listeners);
  if (round === 0) continue;
  plain.push(without);
  watched.push(withAll);
  if (withAll.heard) heard.push(withAll.heard);
}
await service.stop();
rmSync(folder, { recursive: true });
const rates = { plain: plain.map(({ rate }) => rate), watched: watched.map(({ rate }) => rate) };
const cpu = { plain: plain.map(({ cpuMs }) => cpuMs), watched: watched.map(({ cpuMs }) => cpuMs) };
const figures = {
  jobs_per_s: compared(rates, median),
  /** Over all rounds, so that other load affects both sides. */
  jobs_per_s_together: compared(rates, together),
  /** CPU time of the service until the last job has ended. */
  cpu_ms: compared(cpu, median),
  each: { rates, cpu },
  heard,
};
console.log(JSON.stringify({ bench: "events", jobs, listeners, rounds, figures }, null, 2));
process.exit(0);

interface Round {
  readonly rate: number;
  readonly cpuMs: number;
  readonly heard?: object;
}

async function measure(count: number): Promise<Round> {
  const number = ++gateNumber;
  const devices = Array.from({ length: jobs }, (_, at) => ({ host: `h${at}` }));
  const answer = await service.call("POST", "/device/bulk", {
    driver: "gated",
    connection_args: {},
    devices,
    command: String(number),
  });
  const { bulk_id } = v.parse(bulkAnswer, await answer.json()).data;
  const crowd = count === 0 ? undefined : await listen(`/bulk/${bulk_id}/events`, count);
  // By now the accepted jobs are claimed, up to the number of slots.
  await Bun.sleep(200);
  const cpuFrom = cpuMsOf(service.pid);
  const from = performance.now();
  writeFileSync(gate, String(number));
  await ended(service, bulk_id);
  const rate = Math.round(jobs / ((performance.now() - from) / 1000));
  const cpuMs = cpuMsOf(service.pid) - cpuFrom;
  if (crowd === undefined) return { rate, cpuMs };
  const all = await crowd.ended;
  const told_within_s = Math.round((performance.now() - from) / 100) / 10;
  crowd.stop();
  return { rate, cpuMs, heard: { ...all, told_within_s } };
}

async function ended({ call }: BenchService, bulk: string): Promise<void> {
  for (;;) {
    let left = 0;
    for (const status of ["queued", "running"]) {
      const answer = await call("GET", `/job?bulk_id=${bulk}&status=${status}&limit=1`);
      left += v.parse(statusesOf, await answer.json()).data.length;
    }
    if (left === 0) return;
    await Bun.sleep(5);
  }
}

async function listen(path: string, count: number) {
  const { hostname, port } = new URL(service.url);
  const child = Bun.spawn(
    [process.execPath, "scripts/bench/events-listeners.ts", hostname, port, service.key, path, String(count)],
    { stdout: "pipe", stderr: "inherit" },
  );
  const lines = linesOf(child.stdout);
  await lines.next();
  return {
    ended: lines.next().then(({ value }) => v.parse(counts, JSON.parse(value ?? "{}"))),
    stop: () => child.kill(),
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}

function compared(of: Record<"plain" | "watched", readonly number[]>, how: typeof median): object {
  const [alone, seen] = [how(of.plain), how(of.watched)];
  return { plain: alone, watched: seen, ratio: Math.round((seen / alone) * 1000) / 1000 };
}

/** User and system time of a process; ticks are 10 ms. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function together(rates: readonly number[]): number {
  return Math.round(rates.length / rates.reduce((sum, rate) => sum + 1 / rate, 0));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
