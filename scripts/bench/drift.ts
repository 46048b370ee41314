/**
 * `bun run bench:drift`: drift of many devices from three intents of twenty sections each: time, CPU time and memory of the
 * service and its processes, a second run, and what reading costs, with one stored version of each device and with many.
 * Prints JSON. `--rendered <n>`: so many of the intents are templates, rendered for each device.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import * as v from "valibot";
import { driftSummary } from "../../src/api/intent/intent.ts";
import { fillHistory } from "./history/filled.ts";
import { nameOf } from "./history/texts.ts";
import { memoryMb } from "./rows/shared-list.ts";
import { cpuMsOf } from "./rows/shared-noop.ts";
import { type BenchService, startService } from "./service.ts";
import { storedKey } from "./stored.ts";

const { values: flags } = parseArgs({
  options: {
    devices: { type: "string", default: "10000" },
    versions: { type: "string", default: "1,20" },
    rendered: { type: "string", default: "0" },
  },
});
const devices = Number(flags.devices);
const rendered = Number(flags.rendered);
const devicesAtOnce = 1_000;
const intentCount = 3;
const round = (value: number) => Math.round(value * 100) / 100;
const answerOf = v.object({ data: driftSummary });

/** Fifteen ports and five parts of the whole; a device differs in most of them. */
function intentOf(number: number): object {
  const ports = Array.from({ length: 15 }, (_, at) => `GigabitEthernet1/0/${at + 1}`);
  const modes = ["contains", "exact", "ignore_extra"];
  const blocks = ports.map((port) =>
    [`interface ${port}`, " switchport mode access", ` switchport access vlan ${10 + number}`].join("\n"),
  );
  const text = [
    ...blocks,
    "router bgp 64512",
    " neighbor 10.0.0.1 remote-as 65000",
    "ip route 10.0.0.0 255.0.0.0 10.0.0.1",
    "ip access-list extended MGMT",
    " permit tcp any any eq 22",
    "line vty 0 4",
    " transport input ssh",
    "",
  ].join("\n");
  const sections = [
    ...ports.map((port, at) => ({ name: `port-${at + 1}`, match: [`interface ${port}`] })),
    ...[
      { name: "bgp", match: ["router bgp *"] },
      { name: "routes", match: ["ip route *"] },
      { name: "lists", match: ["ip access-list *"] },
      { name: "snmp", match: ["snmp-server *"] },
      { name: "vty", match: ["line vty *"] },
    ],
  ].map((section) => ({ ...section, mode: modes[number % modes.length] }));
  const template = `${text}hostname {{ device.name }}\n`;
  return {
    select: "name:sw-*",
    sections,
    ...(number < rendered ? { rendering: { name: "jinja2", template } } : { text }),
  };
}

/** The service and its children. */
function family(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" "),
  );
  return [pid, ...children.map(Number).filter((one) => one > 0)];
}

function memoryOf(pid: number): number[] {
  return family(pid).flatMap((one) => {
    try {
      return memoryMb(one, "VmRSS");
    } catch {
      // It has ended.
      return [];
    }
  });
}

async function sent(service: BenchService, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await service.call(method, path, body);
  if (!answer.ok) throw new Error(`${method} ${path}: ${(await answer.text()).slice(0, 500)}`);
  return answer.json();
}

async function compareAll(service: BenchService): Promise<object> {
  const from = performance.now();
  const main = cpuMsOf(service.pid);
  let peakMb = 0;
  let parts: readonly number[] = [];
  const look = setInterval(() => {
    const now = memoryOf(service.pid);
    const sum = now.reduce((all, one) => all + one, 0);
    if (sum > peakMb) [peakMb, parts] = [sum, now];
  }, 250);
  let { data } = v.parse(answerOf, await sent(service, "POST", "/drift/run", {}));
  while (data.waiting > 0)
    data = v.parse(answerOf, await sent(service, "GET", "/drift/summary?wait=30")).data;
  clearInterval(look);
  return {
    seconds: round((performance.now() - from) / 1_000),
    main_cpu_s: round((cpuMsOf(service.pid) - main) / 1_000),
    peak_mb: peakMb,
    /** At the peak: the service, then its processes. */
    peak_parts_mb: parts,
    states: data.states,
  };
}

async function timesOf(service: BenchService, path: string): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < 11; at++) {
    const from = performance.now();
    await sent(service, "GET", path);
    times.push(performance.now() - from);
  }
  return round(times.sort((a, b) => a - b)[5] ?? 0);
}

async function measure(versions: number): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), "bench-drift-"));
  try {
    await fillHistory(folder, devices, versions);
    const service = await startService(undefined, { PATCHBAY_MASTER_KEY: storedKey }, { data: folder });
    try {
      for (let first = 0; first < devices; first += devicesAtOnce) {
        const some = Array.from({ length: Math.min(devicesAtOnce, devices - first) }, (_, at) => {
          const n = first + at;
          const host = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
          return { name: nameOf(n), host, driver: "netmiko", platform: "cisco_ios" };
        });
        await sent(service, "POST", "/inventory/device", { devices: some });
      }
      const idleMb = memoryOf(service.pid).reduce((all, one) => all + one, 0);
      const load = round(loadavg()[0] ?? 0);
      const put = performance.now();
      for (let number = 0; number < intentCount; number++)
        await sent(service, "PUT", `/intent/bench-${number}`, intentOf(number));
      const whole = await compareAll(service);
      return {
        ...{ load, idle_mb: idleMb, put_and_compare_s: round((performance.now() - put) / 1_000), ...whole },
        again: await compareAll(service),
        read_ms: {
          matrix: await timesOf(service, "/drift?limit=100"),
          drifted: await timesOf(service, "/drift?limit=100&state=drifted&section=bgp"),
          summary: await timesOf(service, "/drift/summary"),
          lines: await timesOf(service, "/drift/line?limit=50"),
          device: await timesOf(service, `/drift/device/${nameOf(7)}`),
        },
      };
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const figures: Record<string, object> = {};
for (const versions of flags.versions.split(","))
  figures[`versions_${versions}`] = await measure(Number(versions));
console.log(
  JSON.stringify(
    { bench: "drift", devices, intents: intentCount, sections: 20, rendered, ...figures },
    null,
    2,
  ),
);
process.exit(0);
