/** Prometheus metrics of this node. Labels never contain hosts, keys or arbitrary paths. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import process from "node:process";
import { Counter, Histogram, Registry } from "prom-client";
import { changeStates, openStates } from "../api/changes/change.ts";
import { type ChangeCounters, stopCauses } from "../changes/port.ts";
import { type JobEnding, takeOutcomes } from "../events/notices.ts";
import { createGauges } from "./gauges.ts";
import type { AnsweredRequest, Metrics, StoreCall } from "./port.ts";

export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const jobs = createJobMetrics(registry);
  const requests = createRequestMetrics(registry);
  const upkeep = createUpkeepMetrics(registry);
  const changes = createChangeMetrics(registry);
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const gauges = createGauges(registry, { version, delay, startedMs: Date.now() - process.uptime() * 1000 });
  return {
    contentType: registry.contentType,
    async text() {
      await gauges.look();
      return registry.metrics();
    },
    webhookAttempted: upkeep.webhookAttempted,
    scheduleFired: upkeep.scheduleFired,
    scheduleStopped: upkeep.scheduleStopped,
    sourceSynced: upkeep.sourceSynced,
    versionsPruned: upkeep.versionsPruned,
    breakGlassUsed: upkeep.breakGlassUsed,
    ...changes,
    requestAnswered: requests.answered,
    storeAnswered: requests.storeAnswered,
    watch: (jobEvents) => jobEvents.onEveryEnd(jobs.ended),
    show: gauges.show,
    stop() {
      delay.disable();
    },
  };
}

/** Metrics of background work: webhooks, schedules, inventory syncs. */
function createUpkeepMetrics(registry: Registry) {
  const registers = [registry];
  const webhooks = new Counter({
    name: "patchbay_webhook_attempts_total",
    help: "Attempts to deliver webhooks: delivered, failed for good, or tried again later.",
    labelNames: ["outcome"],
    registers,
  });
  const firings = new Counter({
    name: "patchbay_schedule_firings_total",
    help: "Firings of schedules that ended on this node: submitted, done (syncs), missed, skipped or failed.",
    labelNames: ["outcome"],
    registers,
  });
  const stops = new Counter({
    name: "patchbay_schedules_stopped_total",
    help: "Schedules that this node has stopped, since their key was revoked or has expired.",
    registers,
  });
  const syncs = new Counter({
    name: "patchbay_inventory_syncs_total",
    help: "Syncs of sources of the inventory that ended on this node: succeeded or failed; dry runs are not counted.",
    labelNames: ["outcome"],
    registers,
  });
  const pruned = new Counter({
    name: "patchbay_history_pruned_total",
    help: "Versions of configurations that this node deleted because of their age or number.",
    registers,
  });
  const breakGlass = new Counter({
    name: "patchbay_break_glass_uses_total",
    help: "Uses of the key for emergencies on this node: the first request of a session or an hour, and each change.",
    registers,
  });
  // Initialized with 0, so that alerts see the first failure as an increase.
  for (const outcome of ["succeeded", "failed"]) syncs.inc({ outcome }, 0);
  return {
    scheduleFired: (outcome: string) => firings.inc({ outcome }),
    versionsPruned: (count: number) => pruned.inc(count),
    breakGlassUsed: () => breakGlass.inc(),
    webhookAttempted: (outcome: string) => webhooks.inc({ outcome }),
    scheduleStopped: () => stops.inc(),
    sourceSynced: (outcome: string) => syncs.inc({ outcome }),
  };
}

const endStates = changeStates.filter((state) => !openStates.includes(state));
/** From a minute to a week. */
const changeBuckets = [60, 300, 900, 1800, 3600, 4 * 3600, 8 * 3600, 86_400, 3 * 86_400, 7 * 86_400];

function createChangeMetrics(registry: Registry): ChangeCounters {
  const registers = [registry];
  const waves = new Counter({
    name: "patchbay_change_waves_total",
    help: "Waves of changes that this node began.",
    registers,
  });
  const stops = new Counter({
    name: "patchbay_change_stops_total",
    help: "Changes that stopped on this node: devices beyond a limit (failed, unreachable, unknown), a gate, a person, other.",
    labelNames: ["cause"],
    registers,
  });
  const ends = new Counter({
    name: "patchbay_changes_ended_total",
    help: "Ends of changes on this node, by state; one that is returned afterwards ends again.",
    labelNames: ["state"],
    registers,
  });
  const targets = new Counter({
    name: "patchbay_change_devices_total",
    help: "Devices of these changes, by the state that they had at the end.",
    labelNames: ["state"],
    registers,
  });
  const times = new Histogram({
    name: "patchbay_change_seconds",
    help: "From the plan of a change to its end.",
    buckets: changeBuckets,
    registers,
  });
  // Each is there, so that alerts see the first one as an increase.
  for (const cause of stopCauses) stops.inc({ cause }, 0);
  for (const state of endStates) ends.inc({ state }, 0);
  return {
    waveBegun: () => waves.inc(),
    changeStopped: (cause) => stops.inc({ cause }),
    changeEnded(state, seconds, counts) {
      ends.inc({ state });
      for (const [target, count] of counts) targets.inc({ state: target }, count);
      if (seconds !== undefined) times.observe(seconds);
    },
  };
}

/** Metrics of API requests and store operations. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const storeBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];
/** Other methods share one label, because callers may send any. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function createRequestMetrics(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: "patchbay_http_requests_total",
    help: "Requests by route and status; route is `other` where there is none.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const times = new Histogram({
    name: "patchbay_http_request_seconds",
    help: "From a request to the head of its answer, waits that it asked for included.",
    labelNames: ["route"],
    buckets: requestBuckets,
    registers,
  });
  const store = new Histogram({
    name: "patchbay_store_seconds",
    help: "Answers of the database: a read, or a transaction of writes.",
    labelNames: ["kind"],
    buckets: storeBuckets,
    registers,
  });
  const storeFaults = new Counter({
    name: "patchbay_store_faults_total",
    help: "Reads and transactions that the database refused, busy ones included; most are tried again.",
    labelNames: ["kind"],
    registers,
  });
  return {
    answered({ method, route = "other", status, seconds }: AnsweredRequest): void {
      requests.inc({ method: methods.has(method) ? method : "other", route, status });
      times.observe({ route }, seconds);
    },
    storeAnswered({ kind, seconds, failed }: StoreCall): void {
      store.observe({ kind }, seconds);
      if (failed) storeFaults.inc({ kind });
    },
  };
}

// Job metrics: outcomes, queue times and run times.

/** From a command on a kept session to a long transfer. */
const runBuckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
const waitBuckets = [0.005, 0.02, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200];

/** Limits label values: drivers without a platform list accept any text. */
const maxPlatforms = 300;
const platformName = /^[\w-]{0,64}$/;

function createJobMetrics(registry: Registry) {
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
  const takes = new Counter({
    name: "patchbay_history_takes_total",
    help: "Takes of configurations that ended on this node: changed, unchanged, suspect or failed.",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of takeOutcomes) takes.inc({ outcome }, 0);
  return {
    ended({ status, errorType = "", pushed, took, ran }: JobEnding): void {
      if (took !== undefined) takes.inc({ outcome: took });
      if (pushed !== undefined) pushes.inc({ outcome: pushed });
      const { driver = "", deviceType, operation = "" } = ran ?? {};
      ends.inc({ driver, platform: known(deviceType ?? ""), operation, status, error_type: errorType });
      if (ran === undefined) return;
      runs.observe({ driver, operation }, ran.durationMs / 1000);
      waits.observe({ strategy: ran.strategy }, ran.waitedMs / 1000);
    },
  };
}
