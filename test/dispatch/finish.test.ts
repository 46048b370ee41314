/** The end of an attempt is retried until written, once, and only while its claim is valid. */
import { expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createFinisher } from "../../src/dispatch/finish.ts";
import { createJobEvents } from "../../src/events/job-events.ts";
import type { ClaimedJob, StoredJob } from "../../src/store/port.ts";

const job = {
  fence: { id: "j1", name: "n1", generation: 1, attempt: 2 },
  bulkId: "b1",
  hasWebhook: true,
} as ClaimedJob;
const end = { status: "finished", result: "{}", warnings: [], durationMs: 1, hasIntents: false } as const;
const unavailable = new ServiceError("Unavailable", "away");

/** @param writes result of each write in turn: true, false, or an error. */
function finisher(writes: (boolean | Error)[], row?: Partial<StoredJob>) {
  const announced: string[] = [];
  const jobEvents = createJobEvents();
  jobEvents.onEnd("j1", () => announced.push("job"));
  jobEvents.onEnd("b1", () => announced.push("bulk"));
  jobEvents.onEveryEnd(({ pushed }) => pushed && announced.push(pushed));
  const stopping = new AbortController();
  const write = async () => {
    const next = writes.shift();
    if (next instanceof Error) throw next;
    return next ?? false;
  };
  const finish = createFinisher({
    store: {
      settlements: { end: write, requeue: write },
      jobs: { page: async () => (row ? [row as StoredJob] : []) },
    },
    jobEvents,
    log: silentLog,
    signal: stopping.signal,
    onEnded: () => announced.push("webhook"),
  });
  return { finish, heard: announced, stopping, left: writes };
}

test("a stored end of a job is announced to waiting callers and its webhook", async () => {
  const { finish, heard } = finisher([true]);
  expect(await finish.end(job, end)).toBe(true);
  expect(heard).toEqual(["job", "bulk", "webhook"]);
});

test("the end of a push with checks is announced with what became of the change", async () => {
  const { finish, heard } = finisher([true]);
  await finish.end(job, end, { pushed: "undone" });
  expect(heard).toContain("undone");
});

test("the end of a job is written again after a store failure; an earlier write that succeeded counts", async () => {
  const again = finisher([unavailable, true]);
  expect(await again.finish.end(job, end)).toBe(true);
  const written = finisher([unavailable, false], { attempt: 2, status: "finished", result: "{}" });
  expect(await written.finish.end(job, end)).toBe(true);
  expect([written.heard.length, written.finish.dropped()]).toEqual([3, 0]);
});

test("a result without a valid claim is dropped and counted, and waiting callers read the job again", async () => {
  for (const row of [undefined, { attempt: 3, status: "finished", result: "{}" } as const]) {
    const { finish, heard } = finisher([false], row);
    expect(await finish.end(job, end)).toBe(false);
    expect([finish.dropped(), heard]).toEqual([1, ["job"]]);
  }
  const requeued = finisher([false], { attempt: 2, status: "queued" });
  expect(await requeued.finish.requeue(job, 1)).toBe(true);
});

test("a stopping node does not retry writing the end of a job; the next start recovers it", async () => {
  const { finish, stopping, left } = finisher([unavailable, true]);
  stopping.abort();
  expect(await finish.end(job, end)).toBe(false);
  expect(left).toEqual([true]);
});
