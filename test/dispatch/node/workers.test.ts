/** Workers of this node: permanent slot groups, and hosts while they have jobs or sessions. */
import { expect, test } from "vitest";
import type { Attempt } from "../../../src/dispatch/attempt.ts";
import { createOwnWorkers } from "../../../src/dispatch/node/workers.ts";
import type { KeptSession } from "../../../src/protocol/message-port.ts";

function workers() {
  const node = { running: [] as Attempt[], sessions: [] as KeptSession[], suspended: false };
  const own = createOwnWorkers({
    node: "n1",
    fifoWorkers: 2,
    now: () => 7,
    running: () => node.running,
    sessions: () => node.sessions,
    suspended: () => node.suspended,
  });
  return { node, own };
}
const attempt = (worker: string, id = "j1") => ({ job: { worker, fence: { id } } }) as Attempt;
const session = (host: string): KeptSession => ({ id: 1, host, driver: "netmiko" }) as KeptSession;

test("slot groups are always listed as workers, a host only while it has a session or job", () => {
  const { node, own } = workers();
  expect(own.states()).toMatchObject([
    { name: "n1.fifo.0", queue: "fifo", status: "idle", birthAt: 7 },
    { name: "n1.fifo.1", queue: "fifo", status: "idle" },
  ]);
  node.sessions = [session("r1")];
  node.running = [attempt("n1.pinned_r2")];
  expect(own.states().slice(2)).toMatchObject([
    { name: "n1.pinned_r1", queue: "pinned_r1", status: "idle", currentJob: null },
    { name: "n1.pinned_r2", queue: "pinned_r2", status: "busy", currentJob: "j1" },
  ]);
  node.suspended = true;
  expect(new Set(own.states().map(({ status }) => status))).toEqual(new Set(["suspended"]));
});

test("each worker counts its finished and failed jobs; requeued and dropped ones do not count", () => {
  const { node, own } = workers();
  node.sessions = [session("r1")];
  for (const ended of ["finished", "finished", "failed", "requeue", "requeueLater", "dropped"] as const)
    own.onEnd(attempt("n1.pinned_r1"), ended);
  own.onEnd(attempt("n1.fifo.0"), "failed");
  const counts = () => own.states().map(({ name, succeeded, failed }) => [name, succeeded, failed]);
  expect(counts()).toEqual([
    ["n1.fifo.0", 0, 1],
    ["n1.fifo.1", 0, 0],
    ["n1.pinned_r1", 2, 1],
  ]);
  node.sessions = [];
  expect(counts()).toHaveLength(2);
  node.sessions = [session("r1")];
  expect(counts()[2]).toEqual(["n1.pinned_r1", 0, 0]);
});
