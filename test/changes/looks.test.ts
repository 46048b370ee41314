/** What the looks of a runner cost, and that nothing keeps them waiting: neither ends of jobs nor another change. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createPlanning } from "../../src/changes/planning/planning.ts";
import { createClaims } from "../../src/changes/rollout/claims.ts";
import { type ChangeRunner, createChangeRunner } from "../../src/changes/rollout/runner.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import type { ChangeMove, Store } from "../../src/store/port.ts";
import { newJob } from "../store/support.ts";
import { masterKey } from "../support/node.ts";
import { admin } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

let folder: ReturnType<typeof temporary>;
let store: Store & { close(): Promise<void> };
let runner: ChangeRunner;
/** Names of the questions and writes to the store, in order. */
let calls: string[];
/** Owners that are not found before they are let go. */
let slow: Promise<void>;

beforeEach(async () => {
  folder = temporary();
  store = await createStore({ directory: folder.path, masterKey, log: silentLog });
  calls = [];
  slow = Promise.resolve();
  runner = createChangeRunner({
    driver: () => undefined,
    platform: () => undefined,
    store: {
      ...{ clock: store.clock, nodes: store.nodes, history: store.history, shared: false },
      changes: counted(store.changes),
      jobs: counted(store.jobs),
    },
    log: silentLog,
    isReady: () => true,
    lease: () => undefined,
    onMoved() {},
    rehearse: async () => {},
    ownerOf: (id) => (id === "slow" ? slow.then(() => undefined) : Promise.resolve(admin)),
    // Nothing is submitted, planned or returned here.
    ...{ jobs: {} as never, returns: {} as never, fixes: {} as never, inventory: {} as never },
  });
});
afterEach(async () => {
  await runner.stop();
  await store.close();
  folder.remove();
});

function counted<T extends object>(of: T): T {
  return new Proxy(of, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });
}

async function change(id: string, to: ChangeMove, holder = "k1", targets = 3): Promise<void> {
  const submitter = { submitterKind: "key", submitter: "ops", holder } as const;
  await store.changes.add({ id, name: id, ticket: null, needed: 0, request: "{}", ...submitter }, admin);
  const list = Array.from({ length: targets }, (_, position) => ({
    ...{ position, device: `${id}-${position}`, host: `10.0.0.${position}` },
    ...{ wave: 1, sha256: "a", beforeVersion: 1 },
  }));
  const at = { id, step: 1 };
  expect(await store.changes.setTargets(at, list, new Map(), 1)).toBe(true);
  expect(await store.changes.move(at, to, { what: "begun", by: null })).toBe(true);
}

/** A change that pushes: its bulk waits. */
async function pushing(id: string): Promise<void> {
  await change(id, { state: "running", wave: 1, phase: "pushing" });
  await store.jobs.insert([newJob(store, { bulkId: `b-${id}`, operation: "config" })], {
    bulk: {
      ...{ id: `b-${id}`, caller: "k1", driver: "netmiko", operation: "config", changeId: id },
      ...{ submitter: { kind: "key", name: "ops" }, changePart: "wave.1.pushing" },
    },
    changeStep: 2,
  });
}

const times = (name: string) => calls.filter((called) => called === name).length;
const called = (name: string, count: number) =>
  vi.waitFor(() => expect(times(name)).toBeGreaterThanOrEqual(count), 30_000);

test("a look asks two small questions for each change with an open bulk, and none for one that waits", async () => {
  for (let at = 0; at < 5; at++) {
    await change(`approval-${at}`, { state: "waiting_approval", expiresAt: Date.now() + 3_600_000 });
    await change(`paused-${at}`, { state: "paused", wave: 1, phase: "gate" });
  }
  await pushing("c1");
  runner.start();
  await called("counts", 6);
  calls = [];
  runner.wake();
  await called("progressOf", 1);
  expect(calls).toEqual(["active", "bulkOf", "progressOf"]);
});

test("ends of jobs, however close together, do not put off the look at what they mean", async () => {
  await pushing("c1");
  runner.start();
  await called("progressOf", 1);
  const looks = times("active");
  while (times("active") === looks) {
    runner.ended("b-c1");
    await new Promise(setImmediate);
  }
});

test("a change goes on while others are planned", async () => {
  const planned = Promise.withResolvers<void>();
  slow = planned.promise;
  for (const id of ["p1", "p2", "p3"]) await change(id, { state: "planning" }, "slow");
  await change("c1", { state: "running", wave: 1, phase: "soaking" });
  runner.start();
  const stateOf = async (id: string) => (await store.changes.find(id))?.state;
  await vi.waitFor(async () => expect(await stateOf("c1")).toBe("done"), 30_000);
  expect(await stateOf("p3")).toBe("planning");
  planned.resolve();
  await vi.waitFor(async () => expect(await stateOf("p3")).toBe("draft"), 30_000);
});

test("a bulk is found by its part, with how many of its jobs have not ended", async () => {
  await pushing("c1");
  expect(await store.changes.bulkOf("c1", "wave.1.pushing")).toBe("b-c1");
  expect(await store.changes.bulkOf("c1", "wave.1.left")).toBeUndefined();
  expect(await store.jobs.progressOf("b-c1")).toEqual({ unfinished: 1, failed: 0 });
  expect(await store.jobs.progressOf("other")).toEqual({ unfinished: 0, failed: 0 });
});

test("a page of changes is read with their numbers of devices and votes, and without what may be large", async () => {
  await change("c1", { state: "running", wave: 1, phase: "soaking", plan: '{"waves":[1,2]}' });
  await change("c2", { state: "draft" }, "k1", 25);
  const page = await store.changes.page({}, 10);
  expect(page.map(({ id, waves }) => [id, waves])).toEqual([
    ["c2", null],
    ["c1", "[1,2]"],
  ]);
  for (const row of page) expect(Object.keys(row)).not.toContain("plan");
  const tallies = await store.changes.tallies(["c1", "c2", "none"]);
  expect(tallies.get("c1")).toMatchObject({ targets: [{ state: "waiting", count: 3 }], approvals: 0 });
  expect(tallies.get("c2")?.targets).toMatchObject([{ state: "waiting", count: 25 }]);
  expect(tallies.get("none")).toEqual({ targets: [], approvals: 0 });
  const [group] = await store.changes.groups("c2", 5);
  expect(group).toMatchObject({ sha256: "a", devices: 25 });
  expect(group?.first).toEqual(Array.from({ length: 20 }, (_, at) => `c2-${at}`));
});

test("the claim of a node ends with its lease: a plan that it had begun is made anew at once", async () => {
  const facts = { home: "h", hostname: "h", pid: 1, leaseMs: 600_000 };
  const node = await store.nodes.acquire({ ...facts, name: "n 1" });
  if (node === undefined) throw new Error("there is no lease");
  const dueAt = Date.now() + 120_000;
  await change("gone", { state: "planning", dueAt, claimedBy: "n 1 0" }, "nobody");
  await change("lives", { state: "planning", dueAt, claimedBy: `n 1 ${node.generation}` }, "nobody");
  runner.start();
  const stateOf = async (id: string) => (await store.changes.find(id))?.state;
  // Its request says nothing, so there is no plan.
  await vi.waitFor(async () => expect(await stateOf("gone")).toBe("draft"), 30_000);
  expect(await stateOf("lives")).toBe("planning");
  await store.nodes.setState(node, "dead");
  await vi.waitFor(async () => expect(await stateOf("lives")).toBe("draft"), 30_000);
});

test("a plan that cannot be made for now leaves one step, however often it is tried", async () => {
  const request = JSON.stringify({ name: "p", select: "tag:lab", config: "x" });
  const author = { submitterKind: "key", submitter: "ops", holder: "k1" } as const;
  await store.changes.add({ id: "p", name: "p", ticket: null, needed: 0, request, ...author }, admin);
  await store.changes.move({ id: "p", step: 1 }, { state: "planning" }, { what: "plan", by: admin });
  const away = () => Promise.reject(new ServiceError("Unavailable", "The store is away."));
  const claims = createClaims({ store, lease: () => undefined });
  const plan = createPlanning({
    ...{ store, claims, ownerOf: async () => admin, driver: () => undefined, platform: () => undefined },
    ...{ inventory: {} as never, jobs: { changeDevices: away } as never, returns: {} as never },
    ...{ fixes: {} as never, rehearse: async () => {} },
  });
  const events = await store.changes.lastEvent();
  for (let tries = 0; tries < 6; tries++) {
    const at = await store.changes.find("p");
    if (at === undefined) throw new Error("it is gone");
    await plan({ ...at, dueAt: null });
  }
  expect((await store.changes.find("p"))?.step).toBe(14);
  expect((await store.changes.steps("p", 0, 50)).map(({ n, what, detail }) => [n, what, detail])).toEqual([
    [1, "draft", null],
    [2, "plan", null],
    [14, "planning", "The store is away."],
  ]);
  expect((await store.changes.events(events, 50)).map(({ step }) => step)).toEqual([13, 14]);
});
