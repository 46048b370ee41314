/** Contract of `changes`: a part is stored once, only at the step that submits it, and nothing of it starts after a stop. */
import { expect, test } from "vitest";
import type { Store } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { type MakeStorePlace, operator, useStore } from "./fixture.ts";

const bulk = {
  ...{ id: "b1", caller: "k1", driver: "netmiko", operation: "config" as const },
  submitter: { kind: "key" as const, name: "ops" },
};
const targetOf = (position: number, device: string, wave = 1) => ({
  ...{ position, device, host: `10.0.0.${position}`, wave, sha256: "a", beforeVersion: 1 },
});

const submitter = { submitterKind: "key", submitter: "ops", holder: "k1" } as const;
const proposalOf = (id: string) => ({ id, name: id, ticket: null, needed: 1, request: "{}", ...submitter });

/** A planned change that runs, at the step that is returned. */
async function running(store: Store, id: string, devices: string[] = ["r1", "r2"]) {
  const request = JSON.stringify({ config: "canary-line" });
  await store.changes.add({ id, name: id, ticket: null, needed: 0, request, ...submitter }, operator);
  const at = { id, step: 1 };
  const targets = devices.map((device, position) => targetOf(position, device));
  expect(await store.changes.setTargets(at, targets, new Map([["a", "canary-line"]]), 1)).toBe(true);
  const move = { state: "running", wave: 1, phase: "pushing", alone: true } as const;
  return store.changes.move(at, move, { what: "started", by: operator });
}

export function changesContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);
  const insert = (store: Store, bulkId: string, step: number, part = "wave.1.pushing") =>
    store.jobs.insert([newJob(store, { bulkId, operation: "config" })], {
      bulk: { ...bulk, id: bulkId, changeId: "c1", changePart: part },
      changeStep: step,
    });

  test("a part is stored once, and only while the change is at the step that submits it", async () => {
    const { store } = fixture;
    expect(await running(store, "c1")).toBe(true);
    expect(await insert(store, "early", 1)).toBe("stale");
    expect(await insert(store, "b1", 2)).toBeUndefined();
    // Sent again after a lost answer, and by another node.
    expect(await insert(store, "b2", 2)).toBe("stale");
    expect(await store.changes.bulks("c1")).toEqual([
      { bulkId: "b1", number: 1, phase: "pushing", returns: false, attempt: 1, from: null },
    ]);
    expect(await store.bulks.find("b2")).toBeUndefined();
    expect(await insert(store, "b3", 2, "wave.1.left")).toBeUndefined();
  });

  test("after a stop nothing that waited is queued, and nothing new is stored", async () => {
    const { store } = fixture;
    await running(store, "c1");
    await insert(store, "b1", 2);
    const stop = { state: "stopping", reason: "enough", stopsBulks: true } as const;
    const at = { id: "c1", step: 2 };
    const made = await Promise.all([
      store.changes.move(at, stop, { what: "stopped", by: operator }),
      insert(store, "late", 2, "wave.2.pushing"),
    ]);
    expect(made[0]).toBe(true);
    const statuses = (await store.jobs.page({}, 10)).map(({ status, bulkId }) => `${bulkId} ${status}`);
    // Whichever came first: what was stored before the stop is held by it.
    for (const status of statuses) expect(status).toMatch(/^(?:b1|late) held$/);
    expect((await store.pacing.fill(["b1", "late"])).queued).toEqual([]);
    // Even at its own step.
    expect(await insert(store, "later", 3, "wave.3.pushing")).toBe("stale");
    expect(await store.changes.move(at, { state: "running" }, { what: "resumed", by: operator })).toBe(false);
  });

  test("each move is one event of the log, in order, however many try it; a notice only with a webhook", async () => {
    const { store } = fixture;
    const before = await store.changes.lastEvent();
    await running(store, "c1");
    const webhook = { owner: "k1", limited: false, receiver: "12345678noc", spec: "{}", content: "{}" };
    await store.webhooks.put({ ...webhook, name: "noc" }, true, operator);
    const at = { id: "c1", step: 2 };
    const pause = { state: "paused", reason: "enough" } as const;
    const tried = Array.from({ length: 3 }, () =>
      store.changes.move(at, pause, { what: "paused", detail: "enough", by: operator }),
    );
    expect((await Promise.all(tried)).filter((moved) => moved === true).length).toBeGreaterThan(0);
    const events = await store.changes.events(before, 10);
    expect(events.map(({ step, event, what, state }) => ({ step, event, what, state }))).toEqual([
      { step: 1, event: null, what: "draft", state: "draft" },
      { step: 2, event: "change.started", what: "started", state: "running" },
      { step: 3, event: "change.paused", what: "paused", state: "paused" },
    ]);
    const last = events.at(-1);
    expect(last).toMatchObject({ changeId: "c1", name: "c1", holder: "k1", detail: "enough", wave: 1 });
    expect(await store.webhooks.notices(10, ["change.moved"])).toMatchObject([
      { subject: "c1", detail: String(last?.n) },
    ]);
    expect(await store.changes.event(last?.n ?? 0)).toEqual(last);
    expect(await store.changes.lastEvent()).toBe(last?.n);
    expect([...(await store.changes.wavesBegun("c1")).keys()]).toEqual([1]);
    expect(await store.changes.openByState()).toContainEqual({ state: "paused", count: 1 });
  });

  test("a move is made from one step, with its targets, its step and its entry, or not at all", async () => {
    const { store } = fixture;
    await running(store, "c1");
    const at = { id: "c1", step: 2 };
    const targets = [
      { position: 0, state: "pushed", touched: true, jobId: "j1" },
      { position: 1, state: "failed", reason: "refused" },
    ] as const;
    const moves = [1, 2, 3].map((wave) =>
      store.changes.move(at, { wave, targets }, { what: `to-${wave}`, by: operator }),
    );
    expect((await Promise.all(moves)).filter((made) => made === true)).toHaveLength(1);
    expect(await store.changes.targets("c1", {}, 10)).toMatchObject([
      { device: "r1", state: "pushed", touched: true, jobId: "j1", reason: null },
      { device: "r2", state: "failed", touched: null, reason: "refused" },
    ]);
    expect((await store.changes.steps("c1", 0, 10)).map(({ n }) => n)).toEqual([1, 2, 3]);
    const entries = (await store.audit.page({}, 10)).map(({ action }) => action);
    expect(entries.filter((action) => /^change\.to-/.test(action))).toHaveLength(1);
  });

  test("what repeats itself leaves its newest step, back to what a person said or what was another word", async () => {
    const { store } = fixture;
    await running(store, "c1");
    let step = 2;
    const move = async (what: string, more: { folds?: true; by?: typeof operator } = {}) =>
      expect(await store.changes.move({ id: "c1", step: step++ }, {}, { what, by: null, ...more })).toBe(
        true,
      );
    await move("tried");
    await move("tried", { by: operator });
    for (let times = 0; times < 4; times++) await move("tried", { folds: true });
    await move("other");
    await move("tried");
    await move("tried", { folds: true });
    const steps = async () => (await store.changes.steps("c1", 0, 50)).map(({ n, what }) => `${n} ${what}`);
    const left = ["1 draft", "2 started", "3 tried", "4 tried", "8 tried", "9 other", "11 tried"];
    expect(await steps()).toEqual(left);
    expect(await store.changes.saidSteps("c1")).toBe(3);
    // Of a step that somebody else has gone on from nothing is removed.
    const late = { what: "tried", by: null, folds: true } as const;
    expect(await store.changes.move({ id: "c1", step: step - 1 }, {}, late)).toBe(false);
    expect(await steps()).toEqual(left);
  });

  test("a device is in one change at a time, whoever is first", async () => {
    const { store } = fixture;
    const started = await Promise.all([running(store, "c1"), running(store, "c2", ["r2", "r3"])]);
    expect([...started].sort()).toEqual(["busy", true].sort());
    const other = started[0] === true ? "c2" : "c1";
    expect(await store.changes.otherWith(other)).toMatchObject({ device: "r2" });
    expect(await running(store, "c3", ["r9"])).toBe(true);
  });

  test("lines and requests are encrypted, and gone with the change", async () => {
    const { store } = fixture;
    await running(store, "c1");
    expect((await store.changes.find("c1"))?.request).toContain("canary-line");
    expect(await store.changes.texts("c1", ["a"])).toEqual(new Map([["a", "canary-line"]]));
    const done = { state: "done", endedAt: 1_000 } as const;
    await store.changes.move({ id: "c1", step: 2 }, done, { what: "done", by: null });
    expect(await store.changes.prune(1_000)).toBe(false);
    expect(await store.changes.prune(1_001)).toBe(true);
    expect(await store.changes.find("c1")).toBeUndefined();
    expect([await store.changes.targets("c1", {}, 10), await store.changes.steps("c1", 0, 10)]).toEqual([
      [],
      [],
    ]);
    expect(await store.changes.prune(Date.now())).toBe(false);
  });

  test("an old change that returns its devices meanwhile is not deleted", async () => {
    const { store } = fixture;
    await running(store, "c1");
    const done = { state: "done", endedAt: 1_000 } as const;
    await store.changes.move({ id: "c1", step: 2 }, done, { what: "done", by: null });
    const again = { state: "returning", endedAt: null } as const;
    const [, moved] = await Promise.all([
      store.changes.prune(1_001),
      store.changes.move({ id: "c1", step: 3 }, again, { what: "returning", by: operator }),
    ]);
    const left = [await store.changes.find("c1"), ...(await store.changes.targets("c1", {}, 10))];
    expect(left.filter((one) => one !== undefined)).toHaveLength(moved === true ? 3 : 0);
  });

  test("a proposal is stored once for its key, planned at once, and found by it", async () => {
    const { store } = fixture;
    const proposal = { key: "k", sha256: "args", since: 0, origin: "agent" as const };
    const of = (id: string) => ({ ...proposalOf(id), proposal });
    const added = await Promise.all(["p1", "p2", "p3"].map((id) => store.changes.add(of(id), operator)));
    expect([...added].sort()).toEqual(["added", "again", "again"]);
    const found = await store.changes.proposal("k1", proposal);
    expect(found).toMatchObject({ origin: "agent", state: "planning", proposed: "args" });
    expect(await store.changes.page({}, 10)).toHaveLength(1);
    expect(await store.changes.proposal("another key", proposal)).toBeUndefined();
    const run = { recipe: "ntp", id: "run-1" };
    const ofRun = { key: "run-1:0", sha256: "b", since: 0, origin: "recipe" as const, run };
    expect(await store.changes.add({ ...proposalOf("p5"), proposal: ofRun }, operator)).toBe("added");
    expect(await store.changes.find("p5")).toMatchObject({
      ...{ origin: "recipe", recipe: "ntp", recipeRun: "run-1", state: "planning" },
    });
    const later = { ...proposal, since: store.clock.wall() + 1 };
    expect(await store.changes.proposal("k1", later)).toBeUndefined();
    expect(await store.changes.add({ ...proposalOf("p4"), proposal: later }, operator)).toBe("added");
  });
}
