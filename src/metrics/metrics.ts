/** Prometheus metrics of this node. Labels never contain hosts, keys or arbitrary paths. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import process from "node:process";
import { Registry } from "prom-client";
import { createGauges } from "./gauges.ts";
import { createJobMetrics } from "./jobs.ts";
import type { Metrics } from "./port.ts";
import { createRequestMetrics } from "./requests.ts";
import { createUpkeepMetrics } from "./upkeep.ts";

export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const jobs = createJobMetrics(registry);
  const requests = createRequestMetrics(registry);
  const upkeep = createUpkeepMetrics(registry);
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
    requestAnswered: requests.answered,
    storeAnswered: requests.storeAnswered,
    watch: (jobEvents) => jobEvents.onEveryEnd(jobs.ended),
    show: gauges.show,
    stop() {
      delay.disable();
    },
  };
}
