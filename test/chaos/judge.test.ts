/** The judge of `bun run chaos` detects every kind of breach. */
import { expect, test } from "vitest";
import { type BreachKind, type Evidence, judge } from "../../scripts/chaos/judge.ts";
import type { AcceptedJob } from "../../scripts/chaos/load.ts";
import type { SeenJob } from "../../scripts/chaos/watch.ts";

const from = Date.parse("2026-01-01T00:00:00Z");

/** Two successful jobs of one pinned host, and one that was lost while being sent. */
function sound() {
  const accepted = [job("a", 0), job("b", 1), job("c", 2)];
  const jobs = new Map<string, SeenJob>([
    ["a", ended("a", "finished", 2_000)],
    ["b", ended("b", "finished", 4_000)],
    ["c", lost("c", 9_000)],
  ]);
  const sightings = [sight("a", 1_000, 1), sight("b", 3_000, 1), sight("c", 5_000, 2)];
  const deliveries = new Map(
    [...jobs.values()].map(({ id, status }) => [id, [{ id, event: `job.${status}`, status }]]),
  );
  return { planned: 3, accepted, jobs, changes: [] as string[], sightings, deliveries } satisfies Evidence;
}

function job(id: string, order: number, more: Partial<AcceptedJob> = {}): AcceptedJob {
  const kind = "config" as const;
  return {
    id,
    order,
    host: "h1",
    driver: "netmiko",
    pinned: true,
    kind,
    marker: `line ${id}`,
    retries: 0,
    hasWebhook: true,
    ...more,
  };
}

function ended(id: string, status: SeenJob["status"], atMs: number): SeenJob {
  const ended_at = new Date(from + atMs).toISOString();
  const result = { type: "success", retval: { x: "" }, error: null };
  return { id, status, attempt: 1, worker: "n1.pinned_h1", started_at: ended_at, ended_at, result };
}

function lost(id: string, atMs: number, error: object = { outcome: "unknown" }): SeenJob {
  const result = { type: "failed", retval: null, error: { type: "WorkerLost", message: "x", ...error } };
  return { ...ended(id, "failed", atMs), result };
}

function sight(id: string, atMs: number, session: number) {
  return { host: "h1", line: `line ${id}`, at: from + atMs, session };
}

test("the judge finds no breach in a sound run", () => {
  expect(judge(sound())).toEqual({ finished: 2, failed: 1, unknown: 1, again: 0, breaches: [] });
});

const breaches: [string, BreachKind, (evidence: ReturnType<typeof sound>) => void][] = [
  ["a submission that was never accepted", "lost", (run) => void Object.assign(run, { planned: 4 })],
  ["an accepted job that is not known", "lost", (run) => void run.jobs.delete("b")],
  ["a job that never ends", "lost", (run) => void run.jobs.set("b", ended("b", "running", 0))],
  ["a finished job that no device got", "lost", (run) => void run.sightings.shift()],
  ["a configuration that was sent twice", "twice", (run) => void run.sightings.push(sight("c", 5_500, 2))],
  ["jobs of a host out of order", "order", (run) => void run.sightings.splice(1, 1, sight("b", 500, 1))],
  [
    "a session that sends after its successor",
    "order",
    (run) => void run.sightings.splice(0, 1, sight("a", 1_000, 3)),
  ],
  ["an end without webhook", "webhook", (run) => void run.deliveries.delete("a")],
  [
    "a webhook with another end",
    "webhook",
    (run) => void run.deliveries.set("a", [{ id: "a", event: "job.failed", status: "failed" }]),
  ],
  ["a command after the end", "late", (run) => void run.jobs.set("c", lost("c", 4_500))],
  ["a final state that changed", "state", (run) => void run.changes.push("finished became failed")],
  ["a job that was never acknowledged", "state", (run) => void run.jobs.set("d", ended("d", "finished", 1))],
  [
    "a failure with another reason",
    "state",
    (run) => void run.jobs.set("c", lost("c", 9_000, { type: "DriverError" })),
  ],
  ["a failure that hides what was sent", "state", (run) => void run.jobs.set("c", lost("c", 9_000, {}))],
];

test.each(breaches)("the judge detects a breach: %s", (_, kind, spoil) => {
  const evidence = sound();
  spoil(evidence);
  expect(new Set(judge(evidence).breaches.map((one) => one.kind))).toEqual(new Set([kind]));
});
