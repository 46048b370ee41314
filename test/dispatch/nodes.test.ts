/** Several nodes on one libSQL server: one owner for each pinned host, and what happens when a node dies. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { pause } from "../../src/base/time/deadline.ts";
import type { LeaseTimes } from "../../src/dispatch/port.ts";
import type { WrapConnection } from "../../src/store/libsql/database/open.ts";
import { makePlace, type TestPlace } from "../store/support.ts";
import { type FakePool, fakePool } from "../support/fake-pool.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin, configure, query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const times: LeaseTimes = { leaseMs: 6_000, renewMs: 500, validMs: 5_000 };
let place: TestPlace;
let folders: ReturnType<typeof temporary>[];
let nodes: Node[];

beforeEach(async () => {
  place = await makePlace("sqld", true);
  folders = [];
  nodes = [];
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await place.remove();
  for (const folder of folders) folder.remove();
});

async function start(name: string, pool: FakePool = fakePool(), wrap?: WrapConnection): Promise<Node> {
  const folder = temporary();
  folders.push(folder);
  const node = await startNode({
    directory: folder.path,
    name,
    pool,
    slots: 10,
    store: { url: place.url, wrap },
    scheduler: { times },
  });
  nodes.push(node);
  return node;
}

async function until(what: () => boolean | Promise<boolean>, forMs = 100_000): Promise<void> {
  const endsAt = performance.now() + forMs;
  while (!(await what())) {
    if (performance.now() > endsAt) throw new Error("it did not happen");
    await pause(20);
  }
}

/** Devices shared by all nodes: their commands in order, and whether two nodes ever used one at once. */
function sharedDevices() {
  const log: { host: string; command: string; node: string }[] = [];
  const busy = new Map<string, string>();
  const clashes: string[] = [];
  const pool = (name: string): FakePool => {
    const inner = fakePool();
    return {
      ...inner,
      async run(task, options) {
        if (task.kind !== "query" && task.kind !== "configure") return inner.run(task, options);
        const host = String(task.connection.host);
        if (busy.has(host)) clashes.push(`${host}: ${busy.get(host)} and ${name}`);
        busy.set(host, name);
        try {
          const value = await inner.run(task, options);
          await pause(Math.random() * 3);
          const command = task.kind === "query" ? task.commands.map(String).join() : task.lines.join();
          log.push({ host, command, node: name });
          return value;
        } finally {
          busy.delete(host);
        }
      },
    };
  };
  return { log, clashes, pool };
}

/** Keeps the node from renewing its lease, as an outage of the store does, until `heal`. */
function withoutRenewal(node: Node) {
  const { nodes: lease } = node.store;
  const renew = lease.renew.bind(lease);
  const seen = { isDown: true, renewedAt: Number.POSITIVE_INFINITY };
  lease.renew = async (...given) => {
    if (seen.isDown) throw new ServiceError("Unavailable", "The store does not answer.");
    const isHeld = await renew(...given);
    seen.renewedAt = Math.min(seen.renewedAt, performance.now());
    return isHeld;
  };
  return seen;
}

/** Whether somebody else might declare a node dead. */
const isLongExpired = async ({ store }: Node) =>
  (await store.polls.upkeep({ name: "nobody", generation: 1 }, times.leaseMs / 6)).lapsed;

test("a node that comes back long after its lease does not declare itself dead", async () => {
  const pool = fakePool();
  const node = await start("n1", pool);
  const id = await node.submit(configure("r1", ["hold"]));
  await until(() => pool.log.length === 1);
  const renewal = withoutRenewal(node);
  await until(() => isLongExpired(node));
  const { polls } = node.store;
  const upkeep = polls.upkeep.bind(polls);
  let rounds = 0;
  polls.upkeep = (...given) => {
    rounds++;
    return upkeep(...given);
  };
  // What the first has found is done before the second begins.
  await until(() => rounds >= 2);
  renewal.isDown = false;
  pool.release();
  expect((await node.ended(id)).status).toBe("finished");
});

test("a node that comes back from an outage gives the others time to come back, too", async () => {
  const pool = fakePool();
  const one = await start("n1", pool);
  const id = await one.submit(configure("r1", ["hold"]));
  await until(() => pool.log.length === 1);
  const two = await start("n2");
  withoutRenewal(one);
  const renewal = withoutRenewal(two);
  const { nodes: leases } = two.store;
  const retire = leases.retireExpired.bind(leases);
  let retiredAt: number | undefined;
  leases.retireExpired = (...given) => {
    retiredAt ??= performance.now();
    return retire(...given);
  };
  await until(async () => two.scheduler.notReady().length > 0 && (await isLongExpired(two)));
  renewal.isDown = false;
  await until(() => retiredAt !== undefined);
  expect((retiredAt ?? 0) - renewal.renewedAt).toBeGreaterThanOrEqual(times.leaseMs / 6);
  // It has had its time.
  expect(await two.ended(id)).toMatchObject({ status: "failed", result: { error: { outcome: "unknown" } } });
  pool.release();
});

test("three nodes share the jobs; each host has one owner and runs in submission order", async () => {
  const devices = sharedDevices();
  for (const name of ["n1", "n2", "n3"]) await start(name, devices.pool(name));
  const ids: string[] = [];
  const orders = new Map<string, string[]>();
  for (let at = 0; at < 150; at++) {
    const host = `h${at % 6}`;
    const node = nodes[at % 3];
    ids.push((await node?.submit(query(host, `show ${at}`))) ?? "");
    orders.set(host, [...(orders.get(host) ?? []), `show ${at}`]);
  }
  const [first] = nodes;
  for (const id of ids) expect((await first?.ended(id))?.status).toBe("finished");
  expect(devices.clashes).toEqual([]);
  for (const [host, order] of orders)
    expect(devices.log.filter((entry) => entry.host === host).map((entry) => entry.command)).toEqual(order);
});

test("fifo jobs submitted to one node also run on others", async () => {
  const devices = sharedDevices();
  for (const name of ["n1", "n2"]) await start(name, devices.pool(name));
  const fifo = { options: { queue_strategy: "fifo" } };
  const ids = await Promise.all(
    Array.from({ length: 60 }, (_, at) => nodes[0]?.submit(query(`f${at}`, "wait 400", fifo)) ?? ""),
  );
  for (const id of ids) await nodes[1]?.ended(id);
  expect(new Set(devices.log.map((entry) => entry.node))).toEqual(new Set(["n1", "n2"]));
});

test("when a node dies, its sent push fails as lost; its other jobs and hosts move to another node", async () => {
  const dead = await start("n1");
  const sending = await dead.submit(configure("r1", ["hang"]));
  const retried = await dead.submit(query("r2", "hang", { options: { retries: 1, ttl: 10 } }));
  const behind = await dead.submit(query("r1", "show behind"));
  await until(() => dead.pool.log.length === 2);
  nodes = [];
  await dead.kill();
  const other = await start("n2");
  const lost = await other.ended(sending);
  expect(lost).toMatchObject({
    status: "failed",
    attempt: 1,
    result: { error: { type: "WorkerLost", outcome: "unknown", sent: ["hang"], node: "n1" } },
  });
  expect(await other.ended(behind)).toMatchObject({ status: "finished", worker: "n2.pinned_r1" });
  await until(() => other.pool.log.some((entry) => entry.host === "r2"));
  await other.jobs.cancel({ id: retried }, true, admin);
  expect(await other.ended(retried)).toMatchObject({ attempt: 2, result: { error: { type: "Cancelled" } } });
});

/** A connection that blocks all traffic while closed. */
function gate() {
  let opened = Promise.resolve();
  let open = () => {};
  const wrap: WrapConnection = (link) => ({
    ...link,
    batch: async (statements) => {
      await opened;
      return link.batch(statements);
    },
    read: async (statement) => {
      await opened;
      return link.read(statement);
    },
  });
  return {
    wrap,
    shut() {
      ({ promise: opened, resolve: open } = Promise.withResolvers<void>());
    },
    open: () => open(),
  };
}

test("a node cut off past its lease sends and writes nothing, and returns with a new lease", async () => {
  const line = gate();
  const frozen = await start("n1", fakePool(), line.wrap);
  const other = await start("n2");
  const id = await frozen.submit(configure("r1", ["hold"]));
  await until(() => frozen.pool.log.length === 1);
  const before = frozen.scheduler.lease()?.generation ?? 0;
  line.shut();
  expect(await other.ended(id)).toMatchObject({
    result: { error: { type: "WorkerLost", outcome: "unknown", sent: ["hold"] } },
  });
  // Its sessions were closed before its lease expired, and it reports not ready.
  expect(frozen.pool.evicted).toContain(undefined);
  expect((await frozen.jobs.ready()).reasons).toContain("the lease of this node has expired");
  line.open();
  frozen.pool.release();
  await until(() => (frozen.scheduler.lease()?.generation ?? 0) > before);
  await until(() => frozen.scheduler.dropped() === 1);
  expect(await other.ended(id)).toMatchObject({ result: { error: { type: "WorkerLost", node: "n1" } } });
  const again = await frozen.submit(query("r9", "show again"));
  expect((await frozen.ended(again)).status).toBe("finished");
});

test("a second process cannot use the name of a live node", async () => {
  await start("n1");
  await expect(start("n1")).rejects.toMatchObject({
    kind: "Unavailable",
    message: expect.stringContaining("PATCHBAY_NODE"),
  });
});

test("running jobs and workers of another node can be cancelled and stopped", async () => {
  const [a, b] = [await start("n1"), await start("n2")];
  const cancelled = await a.submit(query("r1", "hang"));
  const stopped = await a.submit(configure("r2", ["hang"]));
  await until(() => a.pool.log.length + b.pool.log.length === 2);
  const [owner, viewer] = a.pool.log.length > 0 ? [a, b] : [b, a];
  expect(await viewer.jobs.cancel({ id: cancelled }, true, admin)).toEqual([cancelled]);
  expect(await viewer.ended(cancelled)).toMatchObject({
    result: { error: { type: "Cancelled", outcome: "unknown" } },
  });
  const name = `${owner === a ? "n1" : "n2"}.pinned_r2`;
  await until(async () => (await viewer.admin.workers({ name }, admin)).length > 0);
  expect((await viewer.admin.workers({ host: "r2" }, admin))[0]).toMatchObject({
    name,
    status: "busy",
    current_job: stopped,
    queues: ["pinned_r2"],
  });
  expect(await viewer.admin.stopWorkers({ name }, admin)).toEqual([name]);
  expect(await viewer.ended(stopped)).toMatchObject({
    status: "failed",
    result: { error: { type: "WorkerLost", outcome: "unknown", sent: ["hang"] } },
  });
});
