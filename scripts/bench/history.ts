/**
 * `bun run bench:history`: a store of many configurations and versions: its size, what reading it over HTTP takes, takes
 * of many devices, and beside it Git with the same texts. Prints JSON. `--keep <folder>`: the store is made there and
 * stays; a later run with the same folder reads it as it is. `--like <text>`: only requests with this in their name.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { measureGit } from "./history/beside-git.ts";
import { measureRancid } from "./history/beside-rancid.ts";
import { fillHistory } from "./history/filled.ts";
import { measureFleet } from "./history/fleet.ts";
import { measureTakes, measureTakesOverSsh } from "./history/taken.ts";
import { nameOf } from "./history/texts.ts";
import { memoryMb } from "./rows/shared-list.ts";
import { cpuMsOf } from "./rows/shared-noop.ts";
import { type BenchService, startService } from "./service.ts";
import { storedKey } from "./stored.ts";

const { values: flags } = parseArgs({
  options: {
    devices: { type: "string", default: "10000" },
    versions: { type: "string", default: "20" },
    requests: { type: "string", default: "400" },
    takes: { type: "string", default: "1000" },
    fleet: { type: "string", default: "10000" },
    processes: { type: "string", default: "4" },
    "git-devices": { type: "string", default: "1000" },
    "rancid-devices": { type: "string", default: "100" },
    only: { type: "string" },
    keep: { type: "string" },
    like: { type: "string", default: "" },
  },
});
const [devices, versions, requests] = [Number(flags.devices), Number(flags.versions), Number(flags.requests)];
const round = (value: number) => Math.round(value * 100) / 100;

async function measureStored(folder: string): Promise<object> {
  const from = performance.now();
  const filled = existsSync(join(folder, "patchbay.db"))
    ? undefined
    : await fillHistory(folder, devices, versions);
  const fillS = round((performance.now() - from) / 1000);
  const bytes = statSync(join(folder, "patchbay.db")).size;
  const service = await startService(undefined, { PATCHBAY_MASTER_KEY: storedKey }, { data: folder });
  try {
    const idleMb = memoryMb(service.pid, "VmRSS");
    return {
      ...(filled && { ...filled, fill_s: fillS, to_packed_texts: round(bytes / filled.packedBytes) }),
      database_bytes: bytes,
      requests: await requestsOf(service),
      memory_mb: {
        idle: idleMb,
        after: memoryMb(service.pid, "VmRSS"),
        peak: memoryMb(service.pid, "VmHWM"),
      },
    };
  } finally {
    await service.stop();
  }
}

async function requestsOf(service: BenchService): Promise<object> {
  const anyDevice = () => nameOf(Math.floor(Math.random() * devices));
  const anyVersion = () => 1 + Math.floor(Math.random() * versions);
  const figures: Record<string, object> = {};
  const measured: readonly (readonly [name: string, count: number, path: () => string])[] = [
    ["versions", requests, () => `/history/device/${anyDevice()}`],
    ["text_latest", requests, () => `/history/device/${anyDevice()}/latest`],
    ["text_any", requests, () => `/history/device/${anyDevice()}/${anyVersion()}`],
    ["diff_latest", requests, () => `/history/device/${anyDevice()}/diff`],
    [
      "diff_any",
      requests,
      () => `/history/device/${anyDevice()}/diff?from=${anyVersion()}&to=${anyVersion()}`,
    ],
    ["diff_side", requests, () => `/history/device/${anyDevice()}/diff?form=side`],
    ["blame", Math.min(requests, 100), () => `/history/device/${anyDevice()}/blame`],
    ["changes", requests, () => "/history/change"],
    ["devices", Math.min(requests, 100), () => "/history/device"],
    ["search_none", 11, () => "/history/search?q=10.20.30.4000"],
    ["search_few", 11, () => "/history/search?q=reserved%204242-"],
    ["search_regex", 11, () => "/history/search?regex=%5Eip%20route%2010%5C.1%5C.77"],
  ];
  for (const [name, count, path] of measured)
    if (name.includes(flags.like)) figures[name] = await timesOf(service, count, path);
  return figures;
}

/** One after the other. */
async function timesOf(service: BenchService, count: number, path: () => string): Promise<object> {
  const get = async () => {
    const answer = await service.call("GET", path());
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.url}: ${text.slice(0, 500)}`);
  };
  for (let warm = 0; warm < Math.min(count, 30); warm++) await get();
  const cpu = cpuMsOf(service.pid);
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const from = performance.now();
    await get();
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  const share = (part: number) => round(times[Math.min(count - 1, Math.floor(count * part))] ?? 0);
  return {
    ...{ count, p50_ms: share(0.5), p99_ms: share(0.99), max_ms: share(1) },
    cpu_ms_each: round((cpuMsOf(service.pid) - cpu) / count),
  };
}

const folder = mkdtempSync(join(tmpdir(), "bench-history-"));
const parts: Record<string, () => Promise<object>> = {
  stored: () => measureStored(flags.keep ?? folder),
  takes: () => measureTakes(Number(flags.takes), folder),
  fleet: () => measureFleet(Number(flags.fleet), Number(flags.processes)),
  takes_over_ssh: () => measureTakesOverSsh(Number(flags.takes)),
  git: () => measureGit(Number(flags["git-devices"]), versions),
  rancid: () => measureRancid(Number(flags["rancid-devices"])),
};
const figures: Record<string, object> = {};
try {
  for (const [name, measure] of Object.entries(parts))
    if (flags.only === undefined || flags.only.split(",").includes(name))
      figures[name] = { load: round(loadavg()[0] ?? 0), ...(await measure()) };
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify({ bench: "history", devices, versions, ...figures }, null, 2));
process.exit(0);
