/** `bun run soak`: a steady load on 200 simulated devices; JSON of memory, descriptors and latency; exits with 1 when a job was not taken or lost, or descriptors grow. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { startFleet } from "./chaos/fleet.ts";
import { createNode } from "./chaos/node.ts";
import { createSoakLoad } from "./soak/load.ts";
import { type Sample, sample, slopeMbPerHour } from "./soak/watch.ts";

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    rate: { type: "string", default: "50" },
    devices: { type: "string", default: "200" },
    binary: { type: "string" },
  },
});
const minutes = Number(flags.minutes);
const rate = Number(flags.rate);
const sampleEveryMs = 5_000;
/** Sessions come and go: as many descriptors may be open for a moment. */
const descriptorSlack = 60;

const folder = mkdtempSync(join(tmpdir(), "patchbay-soak-"));
const fleet = await startFleet(Number(flags.devices), 2);
const node = await createNode({ name: "soak", folder, binary: flags.binary, logLevel: "error" });
node.spawn();
await node.up();
const pid = node.pid() ?? 0;
const load = createSoakLoad(node, fleet);
const startedAt = performance.now();
const samples: Sample[] = [sample(pid, startedAt)];
const watching = setInterval(() => void samples.push(sample(pid, startedAt)), sampleEveryMs);

await new Promise<void>((resolve) => {
  let started = 0;
  const feeding = setInterval(() => {
    const elapsedMs = performance.now() - startedAt;
    const due = Math.floor((Math.min(elapsedMs, minutes * 60_000) / 1000) * rate);
    while (started < due) load.start(started++);
    if (elapsedMs < minutes * 60_000) return;
    clearInterval(feeding);
    resolve();
  }, 20);
});
await load.ended();
clearInterval(watching);

const { submitted, finished, refused, notTaken, wrong, latenciesMs } = load.tally;
latenciesMs.sort((a, b) => a - b);
const percentile = (part: number) => round(latenciesMs[Math.floor(latenciesMs.length * part)] ?? 0);
// After the first minute every device has its session.
const settled = samples.filter(({ at }) => at >= Math.min(1, minutes / 3));
const first = settled[0] ?? samples[0];
const last = settled.at(-1) ?? samples[0];
const growth = (last?.descriptors ?? 0) - (first?.descriptors ?? 0);
const notTakenCount = Object.values(notTaken).reduce((sum, count) => sum + count, 0);
const lost = submitted - finished - refused - notTakenCount;
console.log(
  JSON.stringify(
    {
      soak: { minutes, jobs_per_s: rate, devices: fleet.devices.length },
      jobs: { submitted, finished, failed_as_expected: refused, not_taken_by_status: notTaken, lost },
      wrong,
      latency_ms: { p50: percentile(0.5), p99: percentile(0.99), max: percentile(0.99999) },
      rss_mb: {
        start: round(samples[0]?.rssMb ?? 0),
        after_warm_up: round(first?.rssMb ?? 0),
        end: round(last?.rssMb ?? 0),
        most: round(Math.max(...samples.map(({ rssMb }) => rssMb))),
        slope_per_hour: round(slopeMbPerHour(settled)),
        every_minute: samples.filter((_, at) => at % 12 === 0).map(({ rssMb }) => Math.round(rssMb)),
      },
      descriptors: {
        start: samples[0]?.descriptors,
        after_warm_up: first?.descriptors,
        end: last?.descriptors,
      },
      logins: fleet.logins(),
      exit: await node.stop(),
    },
    null,
    2,
  ),
);
await fleet.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(lost + notTakenCount > 0 || growth > descriptorSlack ? 1 : 0);

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
