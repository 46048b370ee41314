/** A job is watched: its states and what its device says, in order, until it has ended or nobody watches. */
import { expect, test } from "vitest";
import type { JobEvent } from "../../src/jobs/port.ts";
import { createWatch } from "../../src/jobs/watch.ts";
import type { JobStatus } from "../../src/model/job.ts";
import { createJobEvents } from "../../src/queue/job-events.ts";
import type { Store } from "../../src/store/port.ts";
import { admin } from "../support/requests.ts";

/** A store with one job, `j1` of host `r1`. */
function watched() {
  const jobEvents = createJobEvents();
  let status: JobStatus = "queued";
  const jobs = {
    find: async (id: string) => (id === "j1" ? { status, host: "r1", caller: "k1" } : undefined),
    statusesOf: async () => new Map([["j1", status]]),
  } as unknown as Store["jobs"];
  const { watch } = createWatch({ store: { jobs, shared: false }, jobEvents });
  const end = (ended: JobStatus) => {
    status = ended;
    jobEvents.live.end("j1");
    jobEvents.announceEnd({ id: "j1", bulkId: null, status: "finished" });
  };
  return { watch, live: jobEvents.live, end };
}
const signal = new AbortController().signal;
const brief = (event: JobEvent | undefined) => {
  if (event?.kind === "progress") return `${event.done}/${event.total}`;
  return event?.kind === "output" ? event.text : event?.status;
};

test("states and output come in order, and the final state is the last", async () => {
  const { watch, live, end } = watched();
  const events = watch("j1", admin, undefined, signal)[Symbol.asyncIterator]();
  const next = async () => brief((await events.next()).value);
  expect(await next()).toBe("queued");
  const running = next();
  live.begin("j1", 1);
  expect(await running).toBe("running");
  live.append("j1", "R1#");
  expect(await next()).toBe("R1#");
  const last = next();
  end("finished");
  expect(await last).toBe("finished");
  expect((await events.next()).done).toBe(true);
});

test("how far a transfer is comes between them, the last of it only", async () => {
  const { watch, live, end } = watched();
  live.begin("j1", 1);
  const events = watch("j1", admin, undefined, signal)[Symbol.asyncIterator]();
  const next = async () => brief((await events.next()).value);
  expect(await next()).toBe("running");
  live.progress("j1", { done: 1, total: 9 });
  live.progress("j1", { done: 5, total: 9 });
  expect(await next()).toBe("5/9");
  const last = next();
  end("finished");
  expect(await last).toBe("finished");
});

test("a watcher that comes back gets what it has not seen", async () => {
  const { watch, live } = watched();
  live.begin("j1", 1);
  live.append("j1", "seen, new");
  const after = { attempt: 1, at: 6 };
  const texts: (string | undefined)[] = [];
  for await (const event of watch("j1", admin, after, signal)) {
    texts.push(brief(event));
    if (event.kind === "output") break;
  }
  expect(texts).toEqual(["running", "new"]);
});

test("a job that is not there, or of a host out of reach, is not found; who leaves ends it", async () => {
  const { watch } = watched();
  const limited = { ...admin, keyId: "k9", hosts: ["10.0.0.0/8"] };
  for (const [id, caller] of [
    ["j2", admin],
    ["j1", limited],
  ] as const)
    await expect(watch(id, caller, undefined, signal)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      kind: "NotFound",
    });
  const leaving = new AbortController();
  const events = watch("j1", admin, undefined, leaving.signal)[Symbol.asyncIterator]();
  await events.next();
  const end = events.next();
  leaving.abort();
  expect((await end).done).toBe(true);
});
