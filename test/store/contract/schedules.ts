/** Contract of `schedules`: one firing per schedule and time, whichever node takes it and whichever dies. */
import { expect, test } from "vitest";
import { scheduleLimits } from "../../../src/api/schedules/schedule.ts";
import type { DueTime, NewSchedule, NodeFence, ScheduleStep, Store } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { endOf, type MakeStorePlace, operator, useStore } from "./fixture.ts";

const request = JSON.stringify({ driver: "netmiko", command: "canary-request" });
const time = (ms: number): DueTime => ({ dueAt: ms, fireAt: ms });
/** Just past, because a server has its own clock. */
const past = () => Math.floor(Date.now() / 1_000) * 1_000 - 60_000;

async function add(
  store: Store,
  next: DueTime | undefined,
  more: Partial<NewSchedule> = {},
): Promise<string> {
  const id = store.makeId();
  const spec = JSON.stringify({ overlap: "skip" });
  const added = await store.schedules.add(
    { id, owner: "k1", name: id, state: "active", why: null, spec, request, anchor: 0, next, ...more },
    operator,
  );
  expect(added).toBe("added");
  return id;
}

function stepOf(id: string, from: number, more: Partial<ScheduleStep> = {}): ScheduleStep {
  return {
    id,
    revision: 1,
    pending: time(from),
    firings: [{ dueAt: from, does: "fire", overlap: "skip" }],
    next: time(from + 600_000),
    ...more,
  };
}

/** A bulk with one job, as a firing submits it. */
async function insertBulk(store: Store, id: string): Promise<string> {
  const job = newJob(store, { bulkId: id });
  const submitter = { kind: "schedule", name: "nightly" } as const;
  await store.jobs.insert([job], {
    bulk: { id, caller: "k1", driver: "netmiko", operation: "query", submitter },
  });
  return job.id;
}

async function statuses(store: Store, id: string): Promise<string> {
  return (await store.schedules.firings(id, 100))
    .map(({ status }) => status)
    .reverse()
    .join(" ");
}

async function kill(store: Store, node: NodeFence): Promise<void> {
  await store.nodes.setState(node, "dead");
}

export function schedulesContract(makePlace: MakeStorePlace): void {
  administration(makePlace);
  once(makePlace);
  overlap(makePlace);
  clocks(makePlace);
}

function administration(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("schedules are added, found, listed, changed and removed; names are unique per owner", async () => {
    const { schedules } = fixture.store;
    const id = await add(fixture.store, time(past()), { name: "nightly" });
    const other = await add(fixture.store, undefined, { name: "nightly", owner: "k2", request: null });
    const again = { id: "x", owner: "k1", name: "nightly", state: "active", why: null } as const;
    const values = { spec: "{}", request: null, anchor: 5, next: undefined };
    expect(await schedules.add({ ...again, ...values }, operator)).toBe("taken");
    expect((await schedules.findNamed("k1", "nightly"))?.id).toBe(id);
    expect(await schedules.requestOf(id)).toBe(request);
    expect(await schedules.requestOf(other)).toBeNull();
    expect((await schedules.page({ owner: "k1" }, 10)).map((one) => one.id)).toEqual([id]);
    expect((await schedules.page({}, 10)).map((one) => one.id)).toEqual([other, id]);
    expect((await schedules.page({}, 10, other)).map((one) => one.id)).toEqual([id]);
    const paused = { name: "weekly", owner: "k1", state: "paused", why: null, ...values } as const;
    expect(await schedules.change(id, 1, paused, operator, "schedule.pause")).toBe("changed");
    expect(await schedules.change(id, 1, paused, operator, "schedule.pause")).toBe("stale");
    expect(await schedules.find(id)).toMatchObject({
      name: "weekly",
      state: "paused",
      revision: 2,
      anchor: 5,
    });
    await add(fixture.store, undefined, { name: "daily" });
    expect(await schedules.change(id, 2, { ...paused, name: "daily" }, operator, "schedule.change")).toBe(
      "taken",
    );
    expect(await schedules.remove(id, operator)).toBe(true);
    expect(await schedules.remove(id, operator)).toBe(false);
    expect(await schedules.find(id)).toBeUndefined();
    const actions = (await fixture.store.audit.page({}, 20)).map(({ action }) => action);
    expect((await fixture.store.audit.page({}, 1))[0]?.detail).toBe(`${id}: weekly`);
    expect(actions.filter((action) => action.startsWith("schedule."))).toEqual([
      "schedule.remove",
      "schedule.add",
      "schedule.pause",
      "schedule.add",
      "schedule.add",
    ]);
  });

  test("a stopped schedule keeps its reason", async () => {
    const { schedules } = fixture.store;
    const id = await add(fixture.store, time(past()));
    const why = "its key was revoked";
    expect(await schedules.stop(id, 1, why, operator)).toBe(true);
    // Another node has found the same.
    expect(await schedules.stop(id, 1, why, operator)).toBe(false);
    expect(await schedules.find(id)).toMatchObject({ state: "stopped", why, next: undefined });
    expect((await schedules.due(10)).schedules).toEqual([]);
  });
}

function once(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a schedule fires once even if two nodes decide it at the same time", async () => {
    const { store } = fixture;
    const [one, two] = [await fixture.node("n1"), await fixture.node("n2")];
    const from = past();
    const id = await add(store, time(from));
    expect((await store.schedules.due(10)).schedules).toMatchObject([{ id, revision: 1, next: time(from) }]);
    await Promise.all([
      store.schedules.step(one, [stepOf(id, from)]),
      store.schedules.step(two, [stepOf(id, from)]),
    ]);
    const taken = [...(await store.schedules.take(one, 10)), ...(await store.schedules.take(two, 10))];
    expect(taken).toMatchObject([{ scheduleId: id, dueAt: from, owner: "k1", request, lastBulk: null }]);
    expect(await store.schedules.find(id)).toMatchObject({ next: time(from + 600_000), revision: 1 });
    const look = await store.schedules.look();
    expect(look).toMatchObject({ open: 1 });
    expect(look.inMs).toBeGreaterThan(400_000);
  });

  test("a firing that is too early, of an old revision, or without a lease is not stored", async () => {
    const { store } = fixture;
    const node = await fixture.node();
    const ahead = Date.now() + 3_600_000;
    const id = await add(store, time(ahead));
    await store.schedules.step(node, [stepOf(id, ahead)]);
    const from = past();
    const due = await add(store, time(from));
    await store.schedules.step(node, [stepOf(due, from, { revision: 7 })]);
    await store.schedules.step({ ...node, generation: 99 }, [stepOf(due, from)]);
    expect(await store.schedules.take(node, 10)).toEqual([]);
    expect((await store.schedules.look()).inMs).toBe(0);
  });

  test("a postponed firing does not block the next one", async () => {
    const { store } = fixture;
    const node = await fixture.node();
    const from = past();
    const [first, second] = [await add(store, time(from)), await add(store, time(from + 1_000))];
    await store.schedules.step(node, [stepOf(first, from), stepOf(second, from + 1_000)]);
    expect(await store.schedules.take(node, 1)).toMatchObject([{ scheduleId: first, damaged: false }]);
    const but = [`${first}/${from}`];
    expect(await store.schedules.take(node, 1, { but })).toMatchObject([{ scheduleId: second }]);
  });

  test("a firing of a dead node is completed by another node, and by that one only", async () => {
    const { store } = fixture;
    const [one, two] = [await fixture.node("n1"), await fixture.node("n2")];
    const from = past();
    const id = await add(store, time(from));
    await store.schedules.step(one, [stepOf(id, from)]);
    const [firing] = await store.schedules.take(one, 10);
    if (!firing) throw new Error("nothing was taken");
    expect(await store.schedules.take(two, 10)).toEqual([]);
    await kill(store, one);
    expect(await store.schedules.take(two, 10)).toMatchObject([{ scheduleId: id, dueAt: from }]);
    const end = { status: "submitted", bulkId: "b1" } as const;
    expect(await store.schedules.settle(one, firing, end, operator)).toBe(false);
    expect(await store.schedules.settle(two, firing, end, operator)).toBe(true);
    expect(await store.schedules.firings(id, 10)).toMatchObject([{ status: "submitted", bulkId: "b1" }]);
    expect((await store.schedules.lastFirings([id])).get(id)?.bulkId).toBe("b1");
    expect((await store.schedules.look()).open).toBe(0);
  });

  test("a running firing keeps its request if the schedule is changed or removed", async () => {
    const { store } = fixture;
    const node = await fixture.node();
    const from = past();
    const id = await add(store, time(from));
    await store.schedules.step(node, [stepOf(id, from)]);
    const changed = {
      name: "n",
      owner: "k1",
      state: "active",
      why: null,
      spec: "{}",
      request: "{}",
      anchor: 0,
    } as const;
    await store.schedules.change(id, 1, { ...changed, next: undefined }, operator, "schedule.change");
    expect(await store.schedules.take(node, 10)).toMatchObject([{ request, spec: '{"overlap":"skip"}' }]);
    await store.schedules.remove(id, operator);
    const [firing] = await store.schedules.take(node, 10);
    expect(firing).toMatchObject({ request });
    if (firing) await store.schedules.settle(node, firing, { status: "submitted", bulkId: "b1" }, operator);
    expect(await store.schedules.firings(id, 10)).toEqual([]);
  });

  test("a bulk that ends before its firing names it belongs to the schedule that is submitting", async () => {
    const { store } = fixture;
    const node = await fixture.node();
    const from = past();
    const id = await add(store, time(from));
    const { name, owner } = (await store.schedules.find(id)) ?? { name: "", owner: "" };
    const found = async (bulk: string, of = name) => (await store.schedules.findOfBulk(owner, bulk, of))?.id;
    expect(await found("b1")).toBeUndefined();
    await store.schedules.step(node, [stepOf(id, from)]);
    const [firing] = await store.schedules.take(node, 10);
    expect([await found("b1"), await found("b1", "another")]).toEqual([id, undefined]);
    if (firing) await store.schedules.settle(node, firing, { status: "submitted", bulkId: "b1" }, operator);
    expect([await found("b1"), await found("b1", "renamed"), await found("b2")]).toEqual([id, id, undefined]);
  });

  test("a schedule ends after its last time; the number of stored firings is limited", async () => {
    const { store } = fixture;
    const node = await fixture.node();
    const from = past();
    const id = await add(store, time(from));
    const all = Array.from({ length: scheduleLimits.firings + 20 }, (_, at) => ({
      dueAt: from - 1_000_000 + at,
      does: "missed" as const,
      overlap: "skip" as const,
    }));
    await store.schedules.step(node, [stepOf(id, from, { firings: all, next: undefined })]);
    expect(await store.schedules.find(id)).toMatchObject({ state: "ended", why: "it has no more times" });
    expect(await store.schedules.firings(id, 500)).toHaveLength(scheduleLimits.firings);
    expect(await store.schedules.firings(id, 500, from - 1_000_000 + 30)).toHaveLength(10);
    // Manual runs count too.
    expect(await store.schedules.run(node, id, operator)).toMatchObject({ status: "submitting" });
    expect(await store.schedules.firings(id, 500)).toHaveLength(scheduleLimits.firings);
  });
}

function overlap(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  /** A schedule whose first firing has started a bulk. */
  async function running(policy: "skip" | "queue" | "replace") {
    const { store } = fixture;
    const node = await fixture.node();
    const from = past();
    const id = await add(store, time(from), { spec: JSON.stringify({ overlap: policy }) });
    await store.schedules.step(node, [stepOf(id, from, { next: time(from + 10_000) })]);
    const [firing] = await store.schedules.take(node, 10);
    const jobId = await insertBulk(store, "b1");
    if (firing) await store.schedules.settle(node, firing, { status: "submitted", bulkId: "b1" }, operator);
    const second = stepOf(id, from + 10_000, {
      firings: [0, 1].map((at) => ({ dueAt: from + 10_000 + at, does: "fire", overlap: policy })),
    });
    await store.schedules.step(node, [second]);
    const end = async () => {
      const fence = (await fixture.claimOne(node, "pinned_r1")).fence;
      await store.settlements.end({ ...endOf(jobId), id: jobId }, { fence });
    };
    return { store, node, id, end };
  }

  test("overlap skip: a firing that is due while the previous bulk runs is skipped", async () => {
    const { store, node, id } = await running("skip");
    expect(await statuses(store, id)).toBe("submitted skipped skipped");
    expect(await store.schedules.take(node, 10)).toEqual([]);
    expect((await store.schedules.firings(id, 1))[0]?.reason).toMatch(/had not ended/);
  });

  test("overlap queue: firings wait for the previous bulk, in order", async () => {
    const { store, node, id, end } = await running("queue");
    expect(await statuses(store, id)).toBe("submitted waiting waiting");
    expect(await store.schedules.take(node, 10)).toEqual([]);
    await end();
    expect(await store.schedules.take(node, 10)).toMatchObject([{ scheduleId: id, lastBulk: "b1" }]);
    expect(await statuses(store, id)).toBe("submitted submitting waiting");
  });

  test("overlap replace: a firing starts at once, and the next one after it", async () => {
    const { store, node, id } = await running("replace");
    expect(await statuses(store, id)).toBe("submitted submitting waiting");
    const [firing] = await store.schedules.take(node, 10);
    expect(firing).toMatchObject({ lastBulk: "b1", overlap: "replace" });
    if (firing) await store.schedules.settle(node, firing, { status: "submitted", bulkId: "b2" }, operator);
    expect(await store.schedules.take(node, 10)).toMatchObject([{ lastBulk: "b2" }]);
  });

  test("overlap replace: repeated manual runs do not accumulate", async () => {
    const { store, node, id } = await running("replace");
    for (let time = 0; time < 25; time++) await store.schedules.run(node, id, operator);
    const found = await store.schedules.firings(id, 100);
    const waiting = found.filter(({ status }) => status === "waiting");
    expect(waiting.length).toBeLessThanOrEqual(scheduleLimits.waiting);
  });

  test("a manual run follows the overlap policy and has an audit entry", async () => {
    const { store, node, id } = await running("skip");
    expect(await store.schedules.run(node, id, operator)).toMatchObject({ status: "skipped", manual: true });
    const other = await add(store, undefined);
    expect(await store.schedules.run(node, other, operator)).toMatchObject({
      status: "submitting",
      manual: true,
    });
    expect(await store.schedules.take(node, 10)).toMatchObject([{ scheduleId: other }]);
    expect(await store.schedules.run(node, "none", operator)).toBeUndefined();
    const actions = (await store.audit.page({}, 20)).map(({ action }) => action);
    expect(actions.filter((action) => action === "schedule.run")).toHaveLength(2);
  });
}

function clocks(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("checking for due schedules takes one read", async () => {
    expect(await fixture.store.schedules.look()).toMatchObject({ inMs: undefined, open: 0 });
    await add(fixture.store, time(Date.now() + 86_400_000));
    const { inMs = 0 } = await fixture.store.schedules.look();
    expect(Math.abs(inMs - 86_400_000)).toBeLessThan(60_000);
  });
}
