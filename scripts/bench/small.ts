/**
 * `bun run bench:small`: the box of a branch office. The service in a cgroup of 256 MB (`--mb`), with 100,000
 * stored jobs (`--jobs`) and 200 devices (`--devices`), each queried three times and pushed to once on kept
 * sessions; then GET /metrics. Prints JSON; if no cgroup can be created, it says so and runs without a limit.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { storedMasterKey, storeJobs } from "../testbed/stored-jobs.ts";
import { login, showClock } from "./cli/rows.ts";
import { startService } from "./service.ts";

const { values } = parseArgs({
  options: {
    mb: { type: "string", default: "256" },
    jobs: { type: "string", default: "100000" },
    devices: { type: "string", default: "200" },
  },
});
const mib = 1024 * 1024;
const count = Number(values.devices);
const scrapes = 15;

interface Cage {
  readonly launcher: readonly string[];
  /** Peak usage, and the numbers of failed allocations and OOM kills. */
  peak(): { peak_mb: number | null; refused: number | null; killed: number | null };
  remove(): void;
}

/** @throws Error with the reason if none can be created */
function makeCage(bytes: number): Cage {
  const isFirst = existsSync("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  const folder = join(isFirst ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup", `patchbay-small-${process.pid}`);
  mkdirSync(folder);
  const file = (name: string) => join(folder, name);
  try {
    writeFileSync(file(isFirst ? "memory.limit_in_bytes" : "memory.max"), String(bytes));
    // Disable swap: swapped-out memory would not count.
    const swap = file(isFirst ? "memory.memsw.limit_in_bytes" : "memory.swap.max");
    if (existsSync(swap)) writeFileSync(swap, isFirst ? String(bytes) : "0");
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  const number = (name: string, pattern = /(\d+)/) => {
    const text = existsSync(file(name)) ? readFileSync(file(name), "utf8") : "";
    const found = pattern.exec(text)?.[1];
    return found === undefined ? null : Number(found);
  };
  return {
    launcher: ["sh", "-c", 'echo $$ > "$0" && exec "$@"', file("cgroup.procs")],
    peak() {
      const peak = number(isFirst ? "memory.max_usage_in_bytes" : "memory.peak");
      return {
        peak_mb: peak === null ? null : Math.round(peak / mib),
        refused: isFirst ? number("memory.failcnt") : number("memory.events", /^max (\d+)/m),
        killed: number(isFirst ? "memory.oom_control" : "memory.events", /oom_kill (\d+)/),
      };
    },
    remove: () => rmdirSync(folder),
  };
}

function cageOrWhy(): { cage?: Cage; why?: string } {
  try {
    return { cage: makeCage(Number(values.mb) * mib) };
  } catch (error) {
    return { why: String(error) };
  }
}

async function startDevices() {
  const child = Bun.spawn([process.execPath, "scripts/bench/cli/device.ts", "0", "200"], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const line = await child.stdout.getReader().read();
  const { near }: { near: number } = JSON.parse(new TextDecoder().decode(line.value));
  return { port: near, stop: () => child.kill() };
}

const data = mkdtempSync(join(tmpdir(), "bench-small-"));
await storeJobs(data, Number(values.jobs));
const devices = await startDevices();
const { cage, why } = cageOrWhy();
const service = await startService(
  undefined,
  { PATCHBAY_MASTER_KEY: storedMasterKey },
  { data, launcher: cage?.launcher ?? [] },
);

async function round(work: object): Promise<number> {
  const started = performance.now();
  const hosts = Array.from({ length: count }, (_, at) => ({
    host: `127.0.${8 + (at >> 7)}.${(at & 127) + 1}`,
  }));
  const request = {
    driver: "netmiko",
    connection_args: { device_type: "cisco_ios", port: devices.port, ...login },
    devices: hosts,
    ...work,
  };
  const answer = await service.call("POST", "/device/bulk", request, 300);
  const text = await answer.text();
  const finished = text.split('"status":"finished"').length - 1;
  if (finished !== count) throw new Error(`${finished} of ${count} finished: ${text.slice(0, 500)}`);
  return Math.round(performance.now() - started);
}

async function scrape(): Promise<number> {
  const started = performance.now();
  const answer = await service.call("GET", "/metrics");
  await answer.text();
  if (!answer.ok) throw new Error(`GET /metrics: ${answer.status}`);
  return performance.now() - started;
}

const rounds_ms = {
  queries: [] as number[],
  push: 0,
};
for (let at = 0; at < 3; at++)
  rounds_ms.queries.push(await round({ command: [showClock, "show startup-config"] }));
rounds_ms.push = await round({ config: ["interface Loopback0", "description small"] });
const times: number[] = [];
for (let at = 0; at < scrapes; at++) times.push(await scrape());
times.sort((a, b) => a - b);
const figures = {
  cgroup: cage === undefined ? `none: ${why}` : `${values.mb} MB`,
  ...cage?.peak(),
  devices: count,
  stored_jobs: Number(values.jobs),
  rounds_ms,
  metrics_ms: { median: Math.round(times[scrapes >> 1] ?? 0), min: Math.round((times[0] ?? 0) * 10) / 10 },
};
await service.stop();
devices.stop();
cage?.remove();
rmSync(data, { recursive: true, force: true });
console.log(JSON.stringify({ bench: "small", ...figures }, null, 2));
process.exit(0);
