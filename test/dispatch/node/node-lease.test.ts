/**
 * A node recovers from any failure of its start or restart, claims nothing meanwhile, and does not trust a
 * slow renewal.
 */

import { afterEach, beforeEach, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import { monotonicMs } from "../../../src/base/time/monotonic.ts";
import { createLeaseClock } from "../../../src/dispatch/node/lease-clock.ts";
import { createLeaseKeeper } from "../../../src/dispatch/node/node-lease.ts";
import type { LeaseTimes } from "../../../src/dispatch/port.ts";
import type { WrapConnection } from "../../../src/store/libsql/database/open.ts";
import type { NodeFence, Store } from "../../../src/store/port.ts";
import type { Statement } from "../../../src/store/sql/statement.ts";
import { type Node, startNode } from "../../support/node.ts";
import { query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";

const times: LeaseTimes = { leaseMs: 60_000, renewMs: 100, validMs: 50_000 };
let folder: ReturnType<typeof temporary>;
beforeEach(() => {
  folder = temporary();
});
afterEach(() => folder.remove());

/** A connection that records statements and fails on request. */
function failing() {
  const seen: string[] = [];
  let target: string | undefined;
  let left = 0;
  let failed = 0;
  const ask = <T>(statements: readonly Statement[], run: () => Promise<T>): Promise<T> => {
    seen.push(...statements.map(({ sql }) => sql));
    if (left <= 0 || !statements.some(({ sql }) => sql === target)) return run();
    left--;
    failed++;
    // Not an error that the store retries on its own.
    return Promise.reject(Object.assign(new Error("injected"), { code: "SQLITE_ERROR" }));
  };
  const wrap: WrapConnection = (link) => ({
    ...link,
    batch: (statements) => ask(statements, () => link.batch(statements)),
    read: (statement) => ask([statement], () => link.read(statement)),
  });
  return {
    wrap,
    seen,
    fail(sql: string, count: number) {
      target = sql;
      left = count;
      failed = 0;
    },
    heal() {
      left = 0;
    },
    failed: () => failed,
  };
}

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await pause(5);
}

/** Distinct statements of a start. */
async function statementsOfStart(): Promise<string[]> {
  const link = failing();
  const node = await startNode({ directory: folder.path, started: false, store: { wrap: link.wrap } });
  link.seen.length = 0;
  await node.scheduler.start();
  const texts = [...new Set(link.seen)];
  await node.stop();
  return texts;
}

const refused = { kind: "Unavailable", detail: { retryAfter: expect.any(Number) } };

async function requireWork(node: Node): Promise<void> {
  await until(async () => (await node.jobs.ready()).ready);
  expect((await node.ended(await node.submit(query("r1", "show a")))).status).toBe("finished");
}

test("a node starts even if any statement of its start fails once or twice", async () => {
  const texts = await statementsOfStart();
  expect(texts.length).toBeGreaterThan(5);
  for (const text of texts) {
    for (const count of [1, 2]) {
      const link = failing();
      const node = await startNode({
        directory: folder.path,
        started: false,
        store: { wrap: link.wrap },
        scheduler: { times },
      });
      await expect(node.submit(query("r1", "show too early"))).rejects.toMatchObject(refused);
      link.fail(text, count);
      await node.scheduler.start();
      if (!(await node.jobs.ready()).ready)
        await expect(node.submit(query("r1", "show too early"))).rejects.toMatchObject(refused);
      await requireWork(node);
      expect(link.failed(), text).toBeGreaterThan(0);
      expect(node.pool.log.map(({ command }) => command)).toEqual(["show a"]);
      await node.stop();
    }
  }
});

test.each([1, 2, 5])("a node acquires a new lease even if that fails %i times", async (count) => {
  const link = failing();
  const node = await startNode({
    directory: folder.path,
    store: { wrap: link.wrap },
    scheduler: { times },
  });
  const first = node.scheduler.lease();
  if (!first) throw new Error("no life");
  const begin = link.seen.find((sql) => sql.startsWith("insert into nodes"));
  if (begin === undefined) throw new Error("no statement");
  link.fail(begin, Number.POSITIVE_INFINITY);
  await node.store.nodes.setState(first, "dead");
  await until(() => link.failed() >= count);
  expect(node.scheduler.lease()).toBeUndefined();
  expect((await node.jobs.ready()).reasons).toContain("the lease of this node has expired");
  await expect(node.submit(query("r1", "show too early"))).rejects.toMatchObject(refused);
  link.heal();
  await requireWork(node);
  expect(node.scheduler.lease()?.generation).toBe(first.generation + 1);
  await node.stop();
});

test("a node that is stopped while it cannot acquire a lease stops cleanly", async () => {
  const link = failing();
  const node = await startNode({
    directory: folder.path,
    started: false,
    store: { wrap: link.wrap },
    scheduler: { times },
  });
  const [begin] = await statementsOfOther();
  link.fail(begin ?? "", Number.POSITIVE_INFINITY);
  await node.scheduler.start();
  await until(() => link.failed() > 2);
  await node.stop();
  const tries = link.failed();
  await pause(300);
  expect(link.failed()).toBe(tries);
});

async function statementsOfOther(): Promise<string[]> {
  const mine = folder;
  folder = temporary();
  const texts = await statementsOfStart();
  folder.remove();
  folder = mine;
  return texts.filter((sql) => sql.startsWith("insert into nodes"));
}

/** A store that answers late, and records the time of each call. */
function slowNodes(life: NodeFence) {
  const asked: number[] = [];
  let renews = true;
  const late = async <T>(value: T): Promise<T> => {
    asked.push(monotonicMs());
    await pause(50);
    return value;
  };
  const nodes = {
    acquire: () => late(life),
    renew: () => late(renews),
    setState: async () => {},
  } as unknown as Store["nodes"];
  return {
    nodes,
    asked,
    deny: () => {
      renews = false;
    },
  };
}

test("a slow renewal does not lengthen the lease, which is measured from the request", async () => {
  const slow = slowNodes({ name: "n1", generation: 1 });
  const leaseClock = createLeaseClock(false);
  const life = createLeaseKeeper({
    store: { nodes: slow.nodes },
    facts: { name: "n1", home: "h", hostname: "h", pid: 1 },
    times: { leaseMs: 60_000, renewMs: 50_000, validMs: 30_000 },
    leaseClock,
    log: silentLog,
    onLeaseLapsed() {},
    onDeclaredDead() {},
    onLeaseRestored() {},
  });
  const cell = new Float64Array(leaseClock.validUntil);
  const trustedPast = () => (cell[0] ?? 0) - 30_000 - (slow.asked.at(-1) ?? 0);
  await life.acquire();
  expect(trustedPast()).toBeLessThanOrEqual(0);
  await life.renewNow();
  expect(slow.asked).toHaveLength(2);
  expect(trustedPast()).toBeLessThanOrEqual(0);
  slow.deny();
  // The renewal was denied, so it acquires a new lease.
  await life.renewNow();
  expect(slow.asked).toHaveLength(4);
  expect(trustedPast()).toBeLessThanOrEqual(0);
  life.abandon();
});
