/** Paced bulks and delayed jobs, through cancels, releases, restarts and kills of nodes. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LeaseTimes } from "../../src/dispatch/port.ts";
import { makePlace, nodeAt, storeKinds, type TestPlace } from "../store/support.ts";
import { type FakePool, fakePool } from "../support/fake-pool.ts";
import { type Node, type NodeOptions, signal, startNode } from "../support/node.ts";
import { patiently } from "../support/patiently.ts";
import { admin, query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const times: LeaseTimes = { leaseMs: 6_000, renewMs: 300, validMs: 5_000 };
const budget = { timeout: 100_000, interval: 20 };
const hourMs = 3_600_000;
const inAnHour = () => new Date(Date.now() + hourMs).toISOString();

/** A clock that is an hour ahead for a node started with it. */
const anHourLater = { wall: () => Date.now() + hourMs, monotonic: () => performance.now() };

const bulkOf = (commands: readonly string[], more: object = {}) => {
  const {
    command: _command,
    connection_args: connection,
    ...rest
  } = query("x", "x") as Record<string, object>;
  const { host: _host, ...shared } = connection as Record<string, unknown>;
  const devices = commands.map((command, at) => ({ host: `r${at + 1}`, command }));
  return { ...rest, connection_args: shared, devices, ...more };
};
const many = (count: number, command: string) => Array.from({ length: count }, () => command);

async function counts(node: Node, bulkId: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { status } of await patiently(() => node.store.jobs.page({ bulkId }, 1_000)))
    found[status] = (found[status] ?? 0) + 1;
  return found;
}

describe.each(storeKinds)("pacing, store: %s", (kind) => {
  let place: TestPlace;
  let nodes: Node[];
  beforeEach(async () => {
    place = await makePlace(kind);
    nodes = [];
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await place.remove();
  });

  async function start(pool: FakePool = fakePool(), more: Partial<NodeOptions> = {}): Promise<Node> {
    const at = nodeAt(place, more.store);
    const node = await startNode({ scheduler: { times }, ...more, ...at, pool });
    nodes.push(node);
    return node;
  }

  async function kill(node: Node): Promise<void> {
    nodes = nodes.filter((other) => other !== node);
    await node.kill();
  }

  test("a bulk never runs more jobs at once than its concurrency, and runs all of them", async () => {
    const node = await start();
    const { bulk_id } = await patiently(() => node.bulk(bulkOf(many(20, "wait 30"), { concurrency: 3 })));
    await patiently(() => node.jobs.waitForBulk(bulk_id, 100_000, signal));
    expect(await counts(node, bulk_id)).toEqual({ finished: 20 });
    expect(node.pool.most).toBeLessThanOrEqual(3);
    expect(node.backlog.total()).toBe(0);
    expect(
      node.pool.log
        .map(({ host }) => host)
        .slice(0, 3)
        .sort(),
    ).toEqual(["r1", "r2", "r3"]);
  });

  test("a bulk stops after max_failures: its remaining jobs are cancelled with the reason", async () => {
    const node = await start();
    const commands = ["a", "fail x", "b", "fail x", ...many(10, "c")];
    const { bulk_id } = await patiently(() =>
      node.bulk(bulkOf(commands, { concurrency: 1, max_failures: 2 })),
    );
    await patiently(() => node.jobs.waitForBulk(bulk_id, 100_000, signal));
    expect(await counts(node, bulk_id)).toEqual({ finished: 2, failed: 2, cancelled: 10 });
    expect(node.pool.log).toHaveLength(4);
    expect(await patiently(() => node.store.bulks.find(bulk_id))).toMatchObject({
      stoppedBecause: "max_failures: 2 of its jobs have failed",
    });
    const [last] = await node.store.jobs.page({ bulkId: bulk_id, status: "cancelled" }, 1);
    expect(JSON.parse(last?.result ?? "")).toMatchObject({
      // It reveals no number of other jobs, which a limited key may not see.
      error: {
        type: "Cancelled",
        message:
          "The job was not started, because its bulk was stopped: max_failures of its jobs have failed.",
      },
    });
    expect(node.backlog.total()).toBe(0);
  });

  test("a bulk continues with its concurrency on the next node after a kill", async () => {
    const first = await start();
    const { bulk_id } = await first.bulk(
      bulkOf([...many(4, "hang"), ...many(6, "show a")], { concurrency: 4 }),
    );
    await expect.poll(() => counts(first, bulk_id), budget).toEqual({ running: 4, held: 6 });
    // Recorded as sent: jobs that were not start again, and hang again.
    await expect.poll(() => first.pool.log.length, budget).toBe(4);
    await kill(first);
    const second = await start();
    // The hanging job had been sent, so it is not sent again and frees its slot.
    await patiently(() => second.jobs.waitForBulk(bulk_id, 100_000, signal));
    expect(await counts(second, bulk_id)).toEqual({ failed: 4, finished: 6 });
    expect(second.pool.most).toBeLessThanOrEqual(4);
  });

  test("a bulk that stopped just before a kill has its queued jobs cancelled by the next node", async () => {
    const pool = fakePool();
    const first = await start(pool);
    const { bulk_id } = await patiently(() =>
      first.bulk(bulkOf(["hold", "show a", "show b"], { concurrency: 1 })),
    );
    await expect.poll(() => counts(first, bulk_id), budget).toEqual({ running: 1, held: 2 });
    await expect.poll(() => pool.log.length, budget).toBe(1);
    await kill(first);
    // The state in which the end of a job leaves it.
    const second = await start(fakePool(), { started: false });
    await second.store.raw(
      `update bulks set max_failures = 1, stopped_because = 'max_failures: 1 of its jobs have failed' where id = '${bulk_id}'`,
    );
    await second.scheduler.start();
    await patiently(() => second.jobs.waitForBulk(bulk_id, 100_000, signal));
    expect(await counts(second, bulk_id)).toEqual({ failed: 1, cancelled: 2 });
    expect(second.pool.log).toEqual([]);
    pool.release();
  });

  test("a job keeps its not_before over a restart, and runs when the time has come", async () => {
    const first = await start();
    const id = await patiently(() =>
      first.submit(query("r1", "show a", { options: { not_before: inAnHour() } })),
    );
    const waiting = await patiently(() => first.jobs.waitFor(id, 0, signal));
    expect(waiting).toMatchObject({ status: "queued", held: true });
    await kill(first);
    const second = await start();
    expect(await second.store.jobs.statusesOf([id])).toEqual(new Map([[id, "held"]]));
    expect(second.pool.log).toEqual([]);
    if (kind !== "file") return;
    await kill(second);
    const third = await start(fakePool(), { store: { clock: anHourLater } });
    expect(await patiently(() => third.ended(id))).toMatchObject({ status: "finished" });
  });

  test("a timer starts a job when its not_before is reached", async () => {
    const node = await start(fakePool(), { scheduler: {} });
    const notBefore = Date.now() + 300;
    const id = await node.submit(
      query("r1", "show a", { options: { not_before: new Date(notBefore).toISOString() } }),
    );
    const ended = await patiently(() => node.ended(id));
    expect(ended.status).toBe("finished");
    // The two clocks are read at slightly different times.
    expect(Date.parse(ended.started_at ?? "")).toBeGreaterThanOrEqual(notBefore - 100);
  });

  test("a job that waits for its not_before can be cancelled and released", async () => {
    const node = await start();
    const later = { options: { not_before: inAnHour() } };
    const ids = [await node.submit(query("r1", "a", later)), await node.submit(query("r2", "b", later))];
    expect(node.backlog.total()).toBe(2);
    expect(await patiently(() => node.jobs.cancel({ id: ids[0] ?? "" }, false, admin))).toEqual([ids[0]]);
    expect(await patiently(() => node.jobs.release({ id: ids[1] ?? "" }, admin))).toEqual([ids[1]]);
    expect(await patiently(() => node.ended(ids[1] ?? ""))).toMatchObject({ status: "finished" });
    expect((await node.ended(ids[0] ?? "")).status).toBe("cancelled");
    expect(node.backlog.total()).toBe(0);
  });

  test("a release does not exceed the concurrency of a bulk, and reports that", async () => {
    const pool = fakePool();
    const node = await start(pool);
    const { bulk_id, succeeded } = await patiently(() =>
      node.bulk(bulkOf(["hold", "a", "b"], { concurrency: 1 })),
    );
    await expect.poll(() => counts(node, bulk_id), budget).toEqual({ running: 1, held: 2 });
    const last = await patiently(() => node.jobs.waitFor(succeeded[2]?.id ?? "", 0, signal));
    expect(last?.waits_for).toMatchObject({ reason: "concurrency", position: 2 });
    const released = node.jobs.release({ id: succeeded[1]?.id ?? "" }, admin);
    await expect(released).rejects.toMatchObject({ kind: "BusinessFailure" });
    expect(await patiently(() => node.jobs.release({ bulk_id }, admin))).toEqual([]);
    expect(await counts(node, bulk_id)).toEqual({ running: 1, held: 2 });
    pool.release();
    await patiently(() => node.jobs.waitForBulk(bulk_id, 100_000, signal));
    expect(pool.most).toBe(1);
  });
});

test("two nodes together respect the concurrency of a bulk, and one alone continues it", async () => {
  const place = await makePlace("sqld");
  const folders = [temporary(), temporary()];
  const device = sharedDevice();
  const [first, second] = await Promise.all(
    folders.map(({ path }, at) =>
      startNode({
        directory: path,
        name: `n${at}`,
        pool: device.pool(),
        store: { url: place.url },
        scheduler: { times },
      }),
    ),
  );
  if (!first || !second) throw new Error("no nodes");
  const { bulk_id } = await patiently(() => first.bulk(bulkOf(many(40, "wait 5"), { concurrency: 4 })));
  await expect.poll(() => device.done(), budget).toBeGreaterThan(8);
  await first.kill();
  // Jobs running when it dies have no recorded end: their slots are freed when its lease expires.
  device.dead();
  await patiently(() => second.jobs.waitForBulk(bulk_id, 200_000, signal));
  const found = await counts(second, bulk_id);
  expect((found.finished ?? 0) + (found.failed ?? 0)).toBe(40);
  expect(device.most()).toBeLessThanOrEqual(4);
  await second.stop();
  await place.remove();
  for (const folder of folders) folder.remove();
});

/** Jobs running at once, on any node. */
function sharedDevice() {
  let running = 0;
  let most = 0;
  let done = 0;
  let counting = true;
  return {
    most: () => most,
    done: () => done,
    /** The dead node's attempts continue in this process, unlike in reality: do not count them any more. */
    dead() {
      counting = false;
    },
    pool(): FakePool {
      const inner = fakePool();
      return {
        ...inner,
        async run(task, options) {
          running++;
          if (counting) most = Math.max(most, running);
          try {
            return await inner.run(task, options);
          } finally {
            running--;
            done++;
          }
        },
      };
    },
  };
}
