/** Metrics of background work: webhooks, schedules, inventory syncs. */
import { Counter, type Registry } from "prom-client";

export function createUpkeepMetrics(registry: Registry) {
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
  // Initialized with 0, so that alerts see the first failure as an increase.
  for (const outcome of ["succeeded", "failed"]) syncs.inc({ outcome }, 0);
  return {
    scheduleFired: (outcome: string) => firings.inc({ outcome }),
    webhookAttempted: (outcome: string) => webhooks.inc({ outcome }),
    scheduleStopped: () => stops.inc(),
    sourceSynced: (outcome: string) => syncs.inc({ outcome }),
  };
}
