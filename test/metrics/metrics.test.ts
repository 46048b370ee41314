import { afterAll, expect, test } from "vitest";
import { createJobEvents } from "../../src/events/job-events.ts";
import type { JobEnding } from "../../src/events/notices.ts";
import { createMetrics } from "../../src/metrics/metrics.ts";

const metrics = createMetrics("0.2");
afterAll(() => metrics.stop());

const ran: NonNullable<JobEnding["ran"]> = {
  hostKey: "r1",
  device: null,
  driver: "netmiko",
  deviceType: "cisco_ios",
  operation: "query",
  strategy: "pinned",
  waitedMs: 20,
  durationMs: 400,
};

/** Lines of one metric, without its help text. */
async function linesOf(name: string): Promise<string[]> {
  return (await metrics.text()).split("\n").filter((line) => line.startsWith(name));
}

test("ends of jobs are counted by driver, platform, operation, status and error type", async () => {
  const events = createJobEvents();
  metrics.watch(events);
  events.announceEnd({ id: "j1", bulkId: null, status: "finished", ran });
  events.announceEnd({ id: "j2", bulkId: "b1", status: "failed", errorType: "ReadTimeout", ran });
  events.announceEnd({ id: "j3", bulkId: null, status: "cancelled" });
  expect(await linesOf("patchbay_jobs_ended_total")).toEqual([
    'patchbay_jobs_ended_total{driver="netmiko",platform="cisco_ios",operation="query",status="finished",error_type=""} 1',
    'patchbay_jobs_ended_total{driver="netmiko",platform="cisco_ios",operation="query",status="failed",error_type="ReadTimeout"} 1',
    'patchbay_jobs_ended_total{driver="",platform="",operation="",status="cancelled",error_type=""} 1',
  ]);
  expect(await linesOf("patchbay_job_run_seconds_count")).toEqual([
    'patchbay_job_run_seconds_count{driver="netmiko",operation="query"} 2',
  ]);
  expect(await linesOf('patchbay_job_wait_seconds_bucket{le="0.02"')).toEqual([
    'patchbay_job_wait_seconds_bucket{le="0.02",strategy="pinned"} 2',
  ]);
});

test("pushes with checks are counted by outcome", async () => {
  const events = createJobEvents();
  metrics.watch(events);
  events.announceEnd({ id: "p1", bulkId: null, status: "finished", pushed: "confirmed", ran });
  events.announceEnd({ id: "p2", bulkId: null, status: "failed", pushed: "undone", ran });
  expect(await linesOf("patchbay_checked_pushes_total")).toEqual([
    'patchbay_checked_pushes_total{outcome="confirmed"} 1',
    'patchbay_checked_pushes_total{outcome="undone"} 1',
  ]);
});

test("takes are counted by outcome, from zero, and what was deleted of their versions", async () => {
  const events = createJobEvents();
  metrics.watch(events);
  for (const took of ["changed", "changed", "failed"] as const)
    events.announceEnd({ id: "t1", bulkId: null, status: "finished", took, ran });
  metrics.versionsPruned(7);
  expect(await linesOf("patchbay_history_takes_total")).toEqual([
    'patchbay_history_takes_total{outcome="changed"} 2',
    'patchbay_history_takes_total{outcome="unchanged"} 0',
    'patchbay_history_takes_total{outcome="suspect"} 0',
    'patchbay_history_takes_total{outcome="failed"} 1',
  ]);
  expect(await linesOf("patchbay_history_pruned_total")).toEqual(["patchbay_history_pruned_total 7"]);
});

test("stopped schedules and syncs are counted from zero", async () => {
  const both = () =>
    Promise.all(["patchbay_schedules_stopped_total", "patchbay_inventory_syncs_total"].map(linesOf));
  const lines = (stopped: number, succeeded: number, failed: number) => [
    [`patchbay_schedules_stopped_total ${stopped}`],
    [
      `patchbay_inventory_syncs_total{outcome="succeeded"} ${succeeded}`,
      `patchbay_inventory_syncs_total{outcome="failed"} ${failed}`,
    ],
  ];
  expect(await both()).toEqual(lines(0, 0, 0));
  metrics.scheduleStopped();
  metrics.sourceSynced("failed");
  metrics.sourceSynced("failed");
  metrics.sourceSynced("succeeded");
  expect(await both()).toEqual(lines(1, 1, 2));
});

test("values made up by callers do not become labels", async () => {
  metrics.requestAnswered({ method: "GET", route: "/job", status: 200, seconds: 0.002 });
  for (let made = 0; made < 1_000; made++)
    metrics.requestAnswered({ method: `M${made}`, route: undefined, status: 404, seconds: 0.001 });
  expect(await linesOf("patchbay_http_requests_total")).toEqual([
    'patchbay_http_requests_total{method="GET",route="/job",status="200"} 1',
    'patchbay_http_requests_total{method="other",route="other",status="404"} 1000',
  ]);
});

test('unknown platforms are counted together as "other"', async () => {
  const events = createJobEvents();
  metrics.watch(events);
  const ended = (id: string, deviceType: string) =>
    events.announceEnd({
      id,
      bulkId: null,
      status: "finished",
      ran: { ...ran, driver: "paramiko", deviceType },
    });
  ended("odd", 'a "text" that is not a name');
  for (let made = 0; made < 2_000; made++) ended(`j${made}`, `made_up_${made}`);
  const lines = await linesOf('patchbay_jobs_ended_total{driver="paramiko"');
  expect(lines.length).toBeLessThan(600);
  expect(lines.join("\n")).not.toContain("that is not a name");
  expect(lines.filter((line) => line.includes('platform="other"'))).toHaveLength(1);
});

test("store calls are timed, and failed ones counted", async () => {
  metrics.storeAnswered({ kind: "write", seconds: 0.003, failed: false });
  metrics.storeAnswered({ kind: "read", seconds: 0.001, failed: true });
  expect(await linesOf("patchbay_store_seconds_count")).toEqual([
    'patchbay_store_seconds_count{kind="write"} 1',
    'patchbay_store_seconds_count{kind="read"} 1',
  ]);
  expect(await linesOf("patchbay_store_faults_total")).toEqual([
    'patchbay_store_faults_total{kind="read"} 1',
  ]);
});

test("gauges are read at each scrape, and omitted without a value", async () => {
  expect(await linesOf("patchbay_jobs_queued")).toEqual([]);
  let queued = 3;
  metrics.show({
    queuedJobs: () => queued,
    runningJobs: () => 1,
    keptSessions: () => 2,
    deviceThreads: () => 4,
    templateProcesses: () => 0,
    ready: () => true,
    openDescriptors: () => undefined,
    diskFreeBytes: () => undefined,
    standing: async () => ({ queueSeconds: 7, webhooks: 2, webhookSeconds: 3 }),
    history: async () => ({
      ...{ devices: 3, versions: 12, suspects: 1, unsaved: 0, failed: 2, oldestGoodSeconds: undefined },
      oldest: [{ device: "sw1", seconds: 90 }],
    }),
    ledger: async () => ({ entries: 41, uncoveredSeconds: 9, pending: 0 }),
    drift: async () => undefined,
    changes: async () => [{ state: "paused", count: 2 }],
    spans: () => ({ sent: 0, dropped: 0 }),
    newestBackup: () => 1_700_000_000,
    backupFailed: () => false,
    storeBytes: () => undefined,
  });
  expect(await linesOf("patchbay_jobs_queued")).toEqual(["patchbay_jobs_queued 3"]);
  queued = 0;
  expect(await linesOf("patchbay_jobs_queued")).toEqual(["patchbay_jobs_queued 0"]);
  expect(await linesOf("patchbay_ready")).toEqual(["patchbay_ready 1"]);
  expect(await linesOf("patchbay_store_bytes")).toEqual([]);
  const open = await linesOf("patchbay_changes{");
  expect(open).toContain('patchbay_changes{state="paused"} 2');
  expect(open).toContain('patchbay_changes{state="running"} 0');
  expect((await linesOf("patchbay_history_")).filter((line) => !/_total/.test(line))).toEqual([
    "patchbay_history_devices 3",
    "patchbay_history_versions 12",
    "patchbay_history_suspect_devices 1",
    "patchbay_history_unsaved_devices 0",
    "patchbay_history_failed_devices 2",
    'patchbay_history_good_age_seconds{device="sw1"} 90',
  ]);
  expect((await linesOf("process_cpu_seconds_total")).length).toBe(1);
});

test("changes are counted by what stopped them and how they ended, with their devices", async () => {
  metrics.waveBegun();
  metrics.changeStopped("unknown");
  metrics.changeEnded(
    "returned",
    600,
    new Map([
      ["returned", 3],
      ["waiting", 7],
    ]),
  );
  metrics.changeEnded("cancelled", undefined, new Map());
  expect(await linesOf("patchbay_change_waves_total")).toEqual(["patchbay_change_waves_total 1"]);
  expect(await linesOf("patchbay_change_stops_total")).toEqual([
    ...["failed", "unreachable"].map((cause) => `patchbay_change_stops_total{cause="${cause}"} 0`),
    'patchbay_change_stops_total{cause="unknown"} 1',
    ...["gate", "person", "other"].map((cause) => `patchbay_change_stops_total{cause="${cause}"} 0`),
  ]);
  expect(await linesOf("patchbay_changes_ended_total")).toEqual([
    ...["stopped", "done"].map((state) => `patchbay_changes_ended_total{state="${state}"} 0`),
    'patchbay_changes_ended_total{state="returned"} 1',
    ...["partly_returned", "needs_person", "rejected", "expired"].map(
      (state) => `patchbay_changes_ended_total{state="${state}"} 0`,
    ),
    'patchbay_changes_ended_total{state="cancelled"} 1',
  ]);
  expect(await linesOf("patchbay_change_devices_total")).toEqual([
    'patchbay_change_devices_total{state="returned"} 3',
    'patchbay_change_devices_total{state="waiting"} 7',
  ]);
  expect(await linesOf("patchbay_change_seconds_count")).toEqual(["patchbay_change_seconds_count 1"]);
});
