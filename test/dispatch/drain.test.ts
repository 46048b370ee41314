/** Graceful shutdown: nothing new starts, running jobs may end, the rest is aborted and reports it. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pause } from "../../src/base/time/deadline.ts";
import { makePlace, nodeAt, storeKinds, type TestPlace } from "../store/support.ts";
import { type Node, startNode } from "../support/node.ts";
import { configure, query } from "../support/requests.ts";

describe.each(storeKinds)("a drain or restart, store: %s", (kind) => {
  let place: TestPlace;
  let node: Node;
  beforeEach(async () => {
    place = await makePlace(kind);
    node = await startNode(nodeAt(place));
  });
  afterEach(() => place.remove());

  const until = async (what: () => boolean) => {
    while (!what()) await pause(5);
  };

  test("lets running jobs finish, and leaves queued ones for the next start", async () => {
    const running = await node.submit(query("r1", "wait 200"));
    const waiting = await node.submit(query("r1", "show later"));
    await until(() => node.pool.log.length === 1);
    const drained = node.scheduler.drain(5_000);
    expect((await node.jobs.ready()).reasons).toContain("the service is stopping");
    await drained;
    const statuses = await node.store.jobs.statusesOf([running, waiting]);
    expect([statuses.get(running), statuses.get(waiting)]).toEqual(["finished", "queued"]);
    await node.stop();
    node = await startNode(nodeAt(place));
    expect(await node.ended(waiting)).toMatchObject({ status: "finished", attempt: 1 });
    await node.stop();
  });

  test('stops work after its timeout: sent work fails with outcome "unknown", unsent work is requeued', async () => {
    const sent = await node.submit(configure("r1", ["hang"]));
    const retried = await node.submit(query("r2", "hang", { options: { retries: 1 } }));
    await until(() => node.pool.log.length === 2);
    await node.scheduler.drain(50);
    const statuses = await node.store.jobs.statusesOf([sent, retried]);
    expect([statuses.get(sent), statuses.get(retried)]).toEqual(["failed", "queued"]);
    const [record] = await node.store.jobs.page({ ids: [sent] }, 1);
    expect(JSON.parse(record?.result ?? "{}").error).toMatchObject({
      type: "WorkerLost",
      outcome: "unknown",
      sent: ["hang"],
      message: expect.stringContaining("service stopped"),
    });
    await node.stop();
  });

  test("after a kill recovers each job: a push fails as unknown, a query with retries runs again", async () => {
    const sent = await node.submit(configure("r1", ["hang"]));
    const behind = await node.submit(configure("r1", ["show behind"]));
    const retried = await node.submit(query("r2", "hang", { options: { retries: 1, ttl: 4 } }));
    await until(() => node.pool.log.length === 2);
    await node.kill();
    node = await startNode(nodeAt(place));
    expect(await node.ended(sent)).toMatchObject({
      status: "failed",
      attempt: 1,
      result: { error: { type: "WorkerLost", outcome: "unknown", sent: ["hang"] } },
    });
    expect((await node.ended(behind)).status).toBe("finished");
    expect(await node.ended(retried)).toMatchObject({
      attempt: 2,
      result: { error: { type: "JobTimeout" } },
    });
    await node.stop();
  });

  test("under another node name recovers the jobs of the previous name", async () => {
    // On a server, only the expired lease shows that the previous process has ended.
    const scheduler = { times: { leaseMs: 6_000, renewMs: 500, validMs: 5_000 } };
    await node.stop();
    node = await startNode({ ...nodeAt(place), scheduler });
    const sent = await node.submit(configure("r1", ["hang"]));
    await until(() => node.pool.log.length === 1);
    await node.kill();
    node = await startNode({ ...nodeAt(place), scheduler, name: "renamed" });
    expect((await node.ended(sent)).result?.error).toMatchObject({ type: "WorkerLost", node: "n1" });
    await node.stop();
  });
});
