/** Job metrics: outcomes, queue times and run times. */
import { Counter, Histogram, type Registry } from "prom-client";
import type { JobEnding } from "../events/notices.ts";

/** From a command on a kept session to a long transfer. */
const runBuckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
const waitBuckets = [0.005, 0.02, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200];

/** Limits label values: drivers without a platform list accept any text. */
const maxPlatforms = 300;
const platformName = /^[\w-]{0,64}$/;

export function createJobMetrics(registry: Registry) {
  const registers = [registry];
  const platforms = new Set<string>();
  function known(platform: string): string {
    if (platforms.has(platform)) return platform;
    if (!platformName.test(platform) || platforms.size >= maxPlatforms) return "other";
    platforms.add(platform);
    return platform;
  }
  const ends = new Counter({
    name: "patchbay_jobs_ended_total",
    help: "Jobs that this node brought to their end.",
    labelNames: ["driver", "platform", "operation", "status", "error_type"],
    registers,
  });
  const runs = new Histogram({
    name: "patchbay_job_run_seconds",
    help: "From the claim of a job to its end in the store.",
    labelNames: ["driver", "operation"],
    buckets: runBuckets,
    registers,
  });
  const waits = new Histogram({
    name: "patchbay_job_wait_seconds",
    help: "From the submission of a job to its claim.",
    labelNames: ["strategy"],
    buckets: waitBuckets,
    registers,
  });
  const pushes = new Counter({
    name: "patchbay_checked_pushes_total",
    help: "Pushes with checks that ended on this node: confirmed, undone, not_undone, not_pushed or unknown.",
    labelNames: ["outcome"],
    registers,
  });
  return {
    ended({ status, errorType = "", pushed, ran }: JobEnding): void {
      if (pushed !== undefined) pushes.inc({ outcome: pushed });
      const { driver = "", deviceType, operation = "" } = ran ?? {};
      ends.inc({ driver, platform: known(deviceType ?? ""), operation, status, error_type: errorType });
      if (ran === undefined) return;
      runs.observe({ driver, operation }, ran.durationMs / 1000);
      waits.observe({ strategy: ran.strategy }, ran.waitedMs / 1000);
    },
  };
}
