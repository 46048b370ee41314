/**
 * The row `stored`: the cost of a job with many stored jobs, next to none. Manually with any number:
 * `BENCH_STORED=10000000`, or `BENCH_STORED_IN=<directory>` of one filled by `fillDirectory`, which is kept.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noopDriver } from "../jobs-service.ts";
import { type BenchService, startService } from "../service.ts";
import { fillDirectory, storedKey } from "../stored.ts";
import type { SpeedRow } from "./row.ts";
import { quickest, type Rate, runJobs } from "./shared-rate.ts";

export default {
  name: "stored",
  title: "CPU time of a job with 500,000 stored jobs, relative to none",
  unit: "x",
  better: "less",
  goal: 1.1,
  async measure({ quick }) {
    const jobs = Number(process.env.BENCH_STORED ?? (quick ? 100_000 : 500_000));
    const given = process.env.BENCH_STORED_IN;
    const data = given ?? mkdtempSync(join(tmpdir(), "bench-stored-"));
    if (given === undefined) await fillDirectory(data, { jobs, hosts: 500 });
    const settings = { PATCHBAY_MASTER_KEY: storedKey };
    // A previous service may have left its driver there.
    rmSync(join(data, "plugins"), { recursive: true, force: true });
    const from = performance.now();
    const full = await startService(noopDriver, settings, { data });
    const start = Math.round(performance.now() - from);
    const empty = await startService(noopDriver, settings);
    try {
      const rounds = quick ? 4 : 9;
      const both = await inTurns(empty, full, rounds, quick ? 500 : 1_500);
      const read = {
        jobs,
        start_ms: start,
        metrics_ms: await quickest(() => text(full, "/metrics")),
        statistics_ms: await quickest(() => text(full, "/statistics")),
        list_of_100_ms: await quickest(() => text(full, "/job?limit=100")),
        failed_of_host_ms: await quickest(() =>
          text(full, "/job?status=failed&host=h7&limit=100&include_result=false"),
        ),
        audit_of_100_ms: await quickest(() => text(full, "/audit?since=2020-01-01T00:00:00Z&limit=100")),
      };
      const details = { ...read, jobs_per_s: both.full.perSecond, jobs_per_s_empty: both.empty.perSecond };
      const value = both.full.cpuMs / both.empty.cpuMs;
      return { value, floor: { name: "none stored", value: 1 }, details };
    } finally {
      await empty.stop();
      await full.stop();
      if (given === undefined) rmSync(data, { recursive: true, force: true });
    }
  },
} satisfies SpeedRow;

/** The best rate of each, because other load only slows it down. */
async function inTurns(empty: BenchService, full: BenchService, rounds: number, jobs: number) {
  const best = { empty: worst, full: worst };
  for (let round = 0; round < rounds; round++)
    for (const [name, service] of [["empty", empty] as const, ["full", full] as const]) {
      const rate = await runJobs(service, jobs, (at) => `h${at % 500}`);
      // The first round is a warm-up.
      if (round > 0) best[name] = better(best[name], rate);
    }
  return best;
}

const worst: Rate = { cpuMs: Number.POSITIVE_INFINITY, perSecond: 0 };

function better(one: Rate, other: Rate): Rate {
  const perSecond = Math.round(Math.max(one.perSecond, other.perSecond));
  return { cpuMs: Math.min(one.cpuMs, other.cpuMs), perSecond };
}

async function text(service: BenchService, path: string): Promise<string> {
  const answer = await service.call("GET", path);
  const found = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${found}`);
  return found;
}
