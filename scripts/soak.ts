/**
 * `bun run soak`: a steady load on 200 simulated devices, or with `--jobs` that many as fast as possible.
 * Prints JSON with memory and its growth by part, descriptors and latency; exits with 1 if a job was refused,
 * lost or ended unexpectedly, or descriptors grow.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { freePort } from "../src/testkit/port.ts";
import { startFleet } from "./chaos/fleet.ts";
import { createNode } from "./chaos/node.ts";
import { writeStranger } from "./chaos/stranger.ts";
import { growthOf } from "./soak/growth.ts";
import { createSoakLoad } from "./soak/load.ts";
import { type Sample, sample } from "./soak/watch.ts";
import { works } from "./soak/work.ts";
import { type Sshd, startSshd } from "./testbed/openssh.ts";

const { values: flags } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    rate: { type: "string", default: "50" },
    devices: { type: "string", default: "200" },
    /** A single kind of work, from `soak/work.ts`. */
    work: { type: "string", default: "mixed" },
    /** Instead of a rate: this many jobs within the given minutes, with limited concurrency. */
    jobs: { type: "string" },
    "at-once": { type: "string", default: "16" },
    /** Collects garbage before counting heap objects: shows live memory, but affects the process size. */
    collect: { type: "boolean", default: false },
    "sample-ms": { type: "string", default: "5000" },
    /** Folder to keep the heap counts in; default: none. */
    keep: { type: "string" },
    binary: { type: "string" },
  },
});
const minutes = Number(flags.minutes);
const rate = Number(flags.rate);
const sampleEveryMs = Number(flags["sample-ms"]);
/** Sessions open and close, so this many descriptors may be open temporarily. */
const descriptorSlack = 60;
const workOf = works[flags.work];
if (workOf === undefined) throw new Error(`--work is one of ${Object.keys(works).join(", ")}`);

const folder = mkdtempSync(join(tmpdir(), "patchbay-soak-"));
const census = resolve(flags.keep ?? join(folder, "census"));
mkdirSync(census, { recursive: true });
const fleet = await startFleet(Number(flags.devices), 2);
const receiver = await startReceiver();
// Only this kind of work needs root.
const sshd = flags.work === "exec" ? await startSshd() : undefined;
const node = await createNode({
  name: "soak",
  folder,
  binary: flags.binary,
  logLevel: "error",
  env: {
    PATCHBAY_PLUGINS: writeStranger(folder),
    // Wrong passwords are one kind of work.
    PATCHBAY_AUTH_FAILURES: "0",
    BUN_OPTIONS: `--preload ${join(import.meta.dirname, "soak", "census.ts")}`,
    CENSUS_DIR: census,
    CENSUS_MS: String(sampleEveryMs),
    CENSUS_COLLECTS: flags.collect ? "1" : "0",
  },
});
node.spawn();
await node.up();
const pid = node.pid() ?? 0;
const load = createSoakLoad(node, workOf, {
  fleet,
  receiver: receiver.url,
  server: sshd && connectionTo(sshd),
});
const startedAt = performance.now();
const look = () => sample(pid, startedAt, load.ended());
const samples: Sample[] = [look()];
const watching = setInterval(() => void samples.push(look()), sampleEveryMs);
if (flags.jobs === undefined) await load.steadily(rate, minutes);
else await load.asFastAsItGoes(Number(flags.jobs), Number(flags["at-once"]), minutes);
samples.push(look());
clearInterval(watching);

const { submitted, finished, refused, otherwise, notTaken, wrong, latenciesMs } = load.tally;
latenciesMs.sort((a, b) => a - b);
const percentile = (part: number) => round(latenciesMs[Math.floor(latenciesMs.length * part)] ?? 0);
// After the first minute, every device has its session.
const spent = samples.at(-1)?.at ?? 0;
const settled = samples.filter(({ at }) => at >= Math.min(1, spent / 3));
const first = settled[0] ?? samples[0];
const last = settled.at(-1) ?? samples[0];
const growth = (last?.descriptors ?? 0) - (first?.descriptors ?? 0);
const notTakenCount = Object.values(notTaken).reduce((sum, count) => sum + count, 0);
const lost = submitted - finished - refused - otherwise - notTakenCount;
const everyNth = Math.max(1, Math.floor(samples.length / 60));
console.log(
  JSON.stringify(
    {
      soak: {
        work: flags.work,
        minutes: round(spent),
        jobs_per_s: round(submitted / Math.max(spent, 0.01) / 60),
        devices: fleet.devices.length,
      },
      jobs: {
        submitted,
        finished,
        failed_as_expected: refused,
        ended_otherwise: otherwise,
        not_taken_by_status: notTaken,
        lost,
      },
      ...(receiver.taken() > 0 ? { webhooks: receiver.taken() } : {}),
      wrong,
      latency_ms: { p50: percentile(0.5), p99: percentile(0.99), max: percentile(0.99999) },
      rss_mb: {
        start: round(samples[0]?.rssMb ?? 0),
        after_warm_up: round(first?.rssMb ?? 0),
        end: round(last?.rssMb ?? 0),
        most: round(Math.max(...samples.map(({ rssMb }) => rssMb))),
        course: samples.filter((_, at) => at % everyNth === 0).map(({ rssMb }) => Math.round(rssMb)),
      },
      growth: growthOf(samples, census),
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
receiver.stop();
await sshd?.stop();
await fleet.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(lost + otherwise + notTakenCount > 0 || growth > descriptorSlack ? 1 : 0);

function connectionTo({ host, port, user, password }: Sshd): Record<string, unknown> {
  return { host, port, username: user, password };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A webhook receiver that accepts everything. */
async function startReceiver(): Promise<{ url: string; taken(): number; stop(): void }> {
  let taken = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      taken++;
      response.end();
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}/`,
    taken: () => taken,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
