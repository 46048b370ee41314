/** Gauges read at each scrape: jobs, sessions, threads, process. */
import type { IntervalHistogram } from "node:perf_hooks";
import process from "node:process";
import { Counter, Gauge, type Registry } from "prom-client";
import { openStates } from "../api/changes/change.ts";
import { driftStates } from "../api/intent/intent.ts";
import type { LedgerState } from "../ledger/port.ts";
import type { Gauges, HistoryState, NodeState } from "./port.ts";

interface Process {
  readonly version: string;
  /** Measured since the last scrape. */
  readonly delay: IntervalHistogram;
  /** Milliseconds since 1970. */
  readonly startedMs: number;
}

export function createGauges(registry: Registry, { version, delay, startedMs }: Process) {
  let shown: Gauges | undefined;
  let standing: NodeState | undefined;
  let history: HistoryState | undefined;
  let ledger: LedgerState | undefined;
  let drift: Awaited<ReturnType<Gauges["drift"]>>;
  let changes: Awaited<ReturnType<Gauges["changes"]>>;

  /** Omitted while undefined. */
  function gauge(name: string, help: string, read: () => number | undefined): void {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const value = read();
        this.reset();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }

  new Gauge({
    name: "patchbay_build_info",
    help: "1, with the version of the service.",
    labelNames: ["version"],
    registers: [registry],
  }).set({ version }, 1);
  gauge("patchbay_jobs_queued", "Jobs that wait for a worker, of all nodes.", () => shown?.queuedJobs());
  gauge(
    "patchbay_queue_age_seconds",
    "How long the first of the jobs that wait has waited.",
    () => standing?.queueSeconds,
  );
  gauge(
    "patchbay_webhooks_pending",
    "Webhooks that are to be delivered; at 10,000 they are not counted on.",
    () => standing?.webhooks,
  );
  gauge(
    "patchbay_webhook_age_seconds",
    "How long the first of them has waited since its job ended.",
    () => standing?.webhookSeconds,
  );
  gauge("patchbay_history_devices", "Devices with a history of configurations.", () => history?.devices);
  gauge("patchbay_history_versions", "Versions of configurations that are kept.", () => history?.versions);
  gauge(
    "patchbay_history_suspect_devices",
    "Devices whose newest text is suspect: it is not whole, or of another device.",
    () => history?.suspects,
  );
  gauge(
    "patchbay_history_unsaved_devices",
    "Devices whose startup configuration differs from the running one.",
    () => history?.unsaved,
  );
  gauge(
    "patchbay_history_failed_devices",
    "Devices whose configuration could not be read the last time.",
    () => history?.failed,
  );
  gauge(
    "patchbay_history_oldest_good_age_seconds",
    "How long ago the configuration was read of the device for which that is longest.",
    () => history?.oldestGoodSeconds,
  );
  new Gauge({
    name: "patchbay_history_good_age_seconds",
    help: "How long ago the configuration of a device was read, of the devices for which that is longest.",
    labelNames: ["device"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { device, seconds } of history?.oldest ?? []) this.set({ device }, seconds);
    },
  });
  new Gauge({
    name: "patchbay_changes",
    help: "Changes that have not ended, of all nodes, by state.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      this.reset();
      if (changes === undefined) return;
      // Each is there, so that alerts see the first one as an increase.
      for (const state of openStates) this.set({ state }, 0);
      for (const { state, count } of changes) this.set({ state }, count);
    },
  });
  new Gauge({
    name: "patchbay_drift",
    help: "Pairs of a device and an intent that is for it, by state.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      this.reset();
      if (drift === undefined) return;
      for (const state of driftStates) this.set({ state }, drift.states.get(state) ?? 0);
    },
  });
  gauge(
    "patchbay_drift_needs_person",
    "Pairs of a device and an intent that drift after all rounds of fixes.",
    () => drift?.needsPerson,
  );
  gauge("patchbay_drift_due", "Devices that are to be compared with their intents.", () => drift?.due);
  new Counter({
    name: "patchbay_ledger_entries_total",
    help: "Entries of the ledger, of all nodes; those that retention deleted count too.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(ledger?.entries ?? 0);
    },
  });
  gauge(
    "patchbay_ledger_checkpoint_age_seconds",
    "For how long there have been entries that no checkpoint covers; 0: the newest covers all.",
    () => ledger?.uncoveredSeconds,
  );
  gauge(
    "patchbay_ledger_checkpoints_pending",
    "Checkpoints that have not been sent everywhere they should be.",
    () => ledger?.pending,
  );
  gauge("patchbay_jobs_running", "Jobs and other tasks that run on this node.", () => shown?.runningJobs());
  gauge("patchbay_sessions_kept", "Sessions with devices that are kept open.", () => shown?.keptSessions());
  gauge("patchbay_device_threads", "Threads that work on devices.", () => shown?.deviceThreads());
  gauge("patchbay_template_processes", "Processes that render and parse.", () => shown?.templateProcesses());
  gauge("patchbay_ready", "Whether the node takes work.", () =>
    shown === undefined ? undefined : Number(shown.ready()),
  );
  gauge("patchbay_disk_free_bytes", "Free space of the disk of the data directory.", () =>
    shown?.diskFreeBytes(),
  );
  gauge("patchbay_store_bytes", "Size of the database file.", () => shown?.storeBytes());
  gauge("patchbay_backup_newest_timestamp_seconds", "When the newest scheduled backup was taken.", () =>
    shown?.newestBackup(),
  );
  gauge("patchbay_backup_failed", "Whether the last scheduled backup failed.", () => {
    const failed = shown?.backupFailed();
    return failed === undefined ? undefined : Number(failed);
  });
  gauge("patchbay_event_loop_delay_seconds", "Longest delay of the event loop since the last scrape.", () => {
    const longest = delay.max / 1e9;
    delay.reset();
    return longest;
  });
  gauge("process_resident_memory_bytes", "Resident memory of the service, without template processes.", () =>
    process.memoryUsage.rss(),
  );
  gauge("process_open_fds", "Open file descriptors.", () => shown?.openDescriptors());
  gauge("process_start_time_seconds", "When the service was started, since 1970.", () => startedMs / 1000);
  cpu(registry);
  new Counter({
    name: "patchbay_trace_spans_total",
    help: "Spans that were sent, or dropped: their queue was full, or the receiver did not take them.",
    labelNames: ["outcome"],
    registers: [registry],
    collect() {
      const { sent, dropped } = shown?.spans() ?? { sent: 0, dropped: 0 };
      this.reset();
      this.inc({ outcome: "sent" }, sent);
      this.inc({ outcome: "dropped" }, dropped);
    },
  });
  return {
    /** Collects asynchronous values before a scrape. */
    async look(): Promise<void> {
      [standing, history, ledger, changes, drift] = await Promise.all([
        shown?.standing().catch(() => undefined),
        shown?.history().catch(() => undefined),
        shown?.ledger().catch(() => undefined),
        shown?.changes().catch(() => undefined),
        shown?.drift().catch(() => undefined),
      ]);
    },
    show(gauges: Gauges): void {
      shown = gauges;
    },
  };
}

function cpu(registry: Registry): void {
  new Counter({
    name: "process_cpu_seconds_total",
    help: "CPU time of the service, without template processes.",
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}
