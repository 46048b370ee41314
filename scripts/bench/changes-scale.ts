/**
 * `bun run bench:changes-scale`: a change of 10,000 devices: its plan without and with a template, the start of its
 * waves and what settling them takes, with the answers to other callers meanwhile. Prints JSON.
 */
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { ChangeDetail, StepRecord } from "../../src/api/changes/change.ts";
import { cpuSeconds } from "./process-cpu.ts";
import { memoryMb } from "./rows/shared-list.ts";
import { type BenchService, startService } from "./service.ts";

const { values: flags } = parseArgs({
  options: {
    devices: { type: "string", default: "10000" },
    wave: { type: "string", default: "25%" },
    only: { type: "string", default: "plain,template,run,list" },
    max_bulk: { type: "string", default: "10000" },
  },
});
const devices = Number(flags.devices);
const round = (value: number) => Math.round(value * 100) / 100;
const wants = (part: string) => flags.only.split(",").includes(part);

/** One thread, so that a device keeps what it was sent. */
const driver = `import { defineDriver } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } };
const own = new Map();
const first = (host) => ["hostname " + host, ...Array.from({ length: 40 }, (_, at) =>
  "interface port" + at + "\\n description " + host + " port " + at), "end"].join("\\n");
export default defineDriver({
  name: "shown", connection: any, query: any, configure: any, strategy: "fifo",
  target: ({ host }) => ({ host, port: 22 }),
  shows: ({ find }) => ({
    commands: ["show running-config"], args: {}, platform: find("cisco_ios"), parts: ["running"],
    textsOf: ([text]) => [{ part: "running", command: "show running-config", text }],
  }),
  open: async ({ connection: { host } }) => ({
    query: async () => [...(own.get(host) ?? []), first(host)].join("\\n"),
    configure: async (config) => {
      own.set(host, [...new Set([...(own.get(host) ?? []), ...config])]);
      return "ok";
    },
  }),
});
`;

const template = `ntp server {{ vars.ntp }}
{% for vlan in range(10, 30) %}vlan {{ vlan }}
 name {{ device.name }}-{{ vlan }}-{{ vars.rack }}
{% endfor %}`;

async function dataOf<T>(answer: Response): Promise<T> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(text.slice(0, 2_000));
  const { data }: { data: T } = JSON.parse(text);
  return data;
}

/** The processes that a process has started. */
function childrenOf(pid: number): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      return Number(fields[1]) === pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

const orZero = (read: () => number) => {
  try {
    return read();
  } catch {
    // It has ended.
    return 0;
  }
};

interface Cost {
  readonly wall_s: number;
  readonly cpu_s: number;
  readonly children_cpu_s: number;
  readonly peak_mb: number;
  readonly peak_service_mb: number;
  readonly other_ms: {
    readonly count: number;
    readonly p50: number;
    readonly p99: number;
    readonly most: number;
  };
}

/** What the service and its processes use during some work, and how long a small request of another caller takes. */
async function costOf<T>(service: BenchService, work: () => Promise<T>): Promise<{ value: T; cost: Cost }> {
  const { pid } = service;
  const cpuBefore = cpuSeconds(pid);
  const childCpu = new Map<number, number>();
  const childBefore = new Map(childrenOf(pid).map((child) => [child, orZero(() => cpuSeconds(child))]));
  const waits: number[] = [];
  let [peak, peakOwn, isDone] = [0, 0, false];
  const look = () => {
    const own = memoryMb(pid, "VmRSS");
    let all = own;
    for (const child of childrenOf(pid)) {
      all += orZero(() => memoryMb(child, "VmRSS"));
      childCpu.set(child, orZero(() => cpuSeconds(child)) - (childBefore.get(child) ?? 0));
    }
    [peak, peakOwn] = [Math.max(peak, all), Math.max(peakOwn, own)];
  };
  const beside = (async () => {
    for (let at = 0; !isDone; at++) {
      const from = performance.now();
      await (await service.call("GET", "/inventory/device?limit=1")).text();
      waits.push(performance.now() - from);
      if (at % 5 === 0) look();
      await Bun.sleep(10);
    }
  })();
  const from = performance.now();
  const value = await work();
  const wall = (performance.now() - from) / 1000;
  isDone = true;
  await beside;
  look();
  waits.sort((a, b) => a - b);
  const at = (share: number) => round(waits[Math.floor((waits.length - 1) * share)] ?? 0);
  return {
    value,
    cost: {
      ...{ wall_s: round(wall), cpu_s: round(cpuSeconds(pid) - cpuBefore) },
      children_cpu_s: round([...childCpu.values()].reduce((sum, cpu) => sum + cpu, 0)),
      ...{ peak_mb: peak, peak_service_mb: peakOwn },
      other_ms: { count: waits.length, p50: at(0.5), p99: at(0.99), most: at(1) },
    },
  };
}

const read = async (service: BenchService, id: string) =>
  dataOf<ChangeDetail>(await service.call("GET", `/change/${id}`));

async function until(service: BenchService, id: string, isThere: (change: ChangeDetail) => boolean) {
  for (;;) {
    const change = await read(service, id);
    if (isThere(change)) return change;
    if (/draft|stopp|return|needs/.test(change.state)) throw new Error(`${change.state}: ${change.reason}`);
    await Bun.sleep(500);
  }
}

async function planned(service: BenchService, request: object): Promise<{ id: string; cost: Cost }> {
  const draft = await dataOf<ChangeDetail>(
    await service.call("POST", "/change", {
      name: "bench",
      select: "tag:lab",
      approvals: { count: 0 },
      ...request,
    }),
  );
  const { cost } = await costOf(service, async () => {
    await dataOf(await service.call("POST", `/change/${draft.id}/plan`));
    return until(service, draft.id, ({ state }) => state === "approved");
  });
  return { id: draft.id, cost };
}

/** From each step that begins a phase to its first job, and from the last job to the next step. */
async function phasesOf(service: BenchService, id: string): Promise<object[]> {
  const steps = await dataOf<StepRecord[]>(await service.call("GET", `/change/${id}/step?limit=500`));
  const { bulks } = await read(service, id);
  const rows = [];
  for (const { number, phase, bulk_id } of bulks) {
    const jobs = await dataOf<{ started_at: string; created_at: string; ended_at: string }[]>(
      await service.call("GET", `/job?bulk_id=${bulk_id}&include_result=false`),
    );
    const times = (name: "started_at" | "created_at" | "ended_at") =>
      jobs.map((job) => Date.parse(job[name]));
    const [stored, began, ended] = [
      Math.min(...times("created_at")),
      Math.min(...times("started_at")),
      Math.max(...times("ended_at")),
    ];
    const before = Math.max(...steps.map(({ at }) => Date.parse(at)).filter((at) => at <= stored));
    const after = Math.min(
      ...steps
        .map(({ at, what }) => (what === "failed" ? Infinity : Date.parse(at)))
        .filter((at) => at >= ended),
    );
    const word = steps.filter(({ at }) => Date.parse(at) <= stored).at(-1)?.what;
    rows.push({
      ...{ wave: number, phase, jobs: jobs.length, after: word },
      ...{
        to_first_job_ms: began - before,
        running_s: round((ended - began) / 1000),
        settled_ms: after - ended,
      },
    });
  }
  return rows;
}

const service = await startService(driver, {
  PATCHBAY_DEVICE_THREADS: "1",
  ...{ PATCHBAY_MAX_BULK: flags.max_bulk, PATCHBAY_HISTORY_AFTER_PUSH: "false" },
});
try {
  const list = Array.from({ length: devices }, (_, at) => ({
    name: `sw-${String(at).padStart(5, "0")}`,
    host: `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`,
    ...{ driver: "shown", platform: "cisco_ios", tags: ["lab"] },
    vars: { rack: at % 40, ntp: `10.0.${at % 250}.1` },
  }));
  await dataOf(await service.call("POST", "/inventory/device", { devices: list }));
  const taken = await costOf(service, async () =>
    dataOf(await service.call("POST", "/history/take", { select: "tag:lab", parts: ["running"] }, 600)),
  );
  const report: Record<string, unknown> = { devices, take: taken.cost };
  const strategy = { canary: 1, waves: [flags.wave, "100%"], gate: "approval" };
  if (wants("plain"))
    report.plan_plain = (await planned(service, { config: "ntp server 192.0.2.1", strategy })).cost;
  if (wants("template") || wants("run")) {
    const { id, cost } = await planned(service, {
      ...{ config: {}, rendering: { name: "jinja2", template }, strategy },
    });
    report.plan_template = cost;
    console.error(JSON.stringify(report));
    if (wants("run")) {
      const run = await costOf(service, async () => {
        await dataOf(await service.call("POST", `/change/${id}/start`, {}));
        await until(service, id, ({ state, wave }) => state === "paused" && wave === 1);
        await dataOf(await service.call("POST", `/change/${id}/resume`, {}));
        return until(service, id, ({ state, wave }) => state === "paused" && wave === 2);
      });
      report.run = run.cost;
      report.phases = await phasesOf(service, id);
    }
  }
  if (wants("list")) {
    const listed = await costOf(service, async () => dataOf(await service.call("GET", "/change?limit=100")));
    report.list = listed.cost;
  }
  console.log(JSON.stringify(report, undefined, 1));
} finally {
  await service.stop();
}
