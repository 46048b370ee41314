/** A step that is a change, with a node that dies at each call of the store: drafted once, and never left behind. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../../../src/auth/port.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createProposals } from "../../../src/changes/drafts/proposals.ts";
import { createRunChanges, createStateWaits } from "../../../src/changes/drafts/run-changes.ts";
import { createRunRunner, type RunnerTools } from "../../../src/recipes/running/runner.ts";
import { createStore } from "../../../src/store/libsql/store.ts";
import type { ChangeMove, Store, StoredChange } from "../../../src/store/port.ts";
import { masterKey } from "../../support/node.ts";
import { temporary } from "../../support/temporary.ts";

const folder = temporary();
let store: Store;
beforeAll(async () => {
  store = await createStore({ directory: folder.path, masterKey, log: silentLog });
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

const caller = { keyId: "k", name: "ops", scope: "operate", hosts: [], from: null } as unknown as Caller;
const steps = [
  { name: "fix", kind: "change", on_failure: "stop", request: { config: ["x"] } },
  { name: "fix_more", kind: "change", on_failure: "stop", request: { config: ["y"] } },
];

interface Life {
  readonly store: Store;
  calls(): number;
  /** Resolves once it has died. */
  readonly died: Promise<void>;
}

/** The store of a node that dies at its n-th call, before it is done or with the answer lost, and does nothing after it. */
function living(at: number, before: boolean): Life {
  let calls = 0;
  const { promise: died, resolve } = Promise.withResolvers<void>();
  const part = <T extends object>(of: T): T =>
    new Proxy(of, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...args: unknown[]) => {
          calls += 1;
          if (calls > at || (calls === at && before)) {
            resolve();
            throw new Error("killed");
          }
          const result: unknown = await Reflect.apply(method, target, args);
          if (calls !== at) return result;
          resolve();
          throw new Error("killed");
        };
      },
    });
  const mortal = { ...store, changes: part(store.changes), recipes: part(store.recipes) };
  return { store: mortal, calls: () => calls, died };
}

interface World {
  /** What becomes of a change that was started. */
  readonly started: ChangeMove;
  /** It does not get its votes. */
  readonly waits?: boolean;
  readonly ownerOf?: RunnerTools["ownerOf"];
}

function runnerOn(of: Store, { started, waits: noVotes = false, ownerOf }: World) {
  const waits = createStateWaits();
  const said: string[] = [];
  const { draftOnce } = createProposals({ store: of, onMoved() {}, planned: async () => {} });
  async function moved(change: StoredChange, to: ChangeMove, what: string): Promise<void> {
    await of.changes.move(change, to, { what, by: null });
    waits.moved(change.id);
  }
  const changes = createRunChanges({
    store: of,
    onMoved() {},
    waits: {
      async next(id, isPast, forMs, signal) {
        const change = await of.changes.find(id);
        if (change?.state === "planning") await moved(change, { state: "approved" }, "planned");
        await waits.next(id, isPast, forMs, signal);
      },
    },
    changes: {
      check: async () => {},
      draftOnce: (body, proposal, by) =>
        draftOnce(proposal, by, async () => ({
          ...{ name: "n", ticket: null, needed: 0, request: body.text },
        })),
      async say(id, word): Promise<never> {
        said.push(word);
        const change = await of.changes.find(id);
        const now = store.clock.wall();
        if (change === undefined) throw new Error("there is no change");
        if (word === "start" && noVotes) return undefined as never;
        await moved(change, word === "start" ? { ...started, endedAt: now } : ends(now), word);
        return undefined as never;
      },
    },
  });
  const tools = { store: of, jobs: {}, changes, log: silentLog, isReady: () => true };
  const runner = createRunRunner({
    ...tools,
    ownerOf: ownerOf ?? (async () => caller),
  } as unknown as RunnerTools);
  return { ...runner, said };
}
const ends = (now: number): ChangeMove => ({ state: "cancelled", endedAt: now });

async function added(id: string): Promise<void> {
  const request = { recipe: { steps }, parameters: {}, devices: ["r1"], note: null, asked: "" };
  const waiting = steps.map(({ name, kind }) => ({
    ...{ name, kind, state: "waiting", reason: null, bulk_id: null, change: null, counts: null },
    ...{ text: null, started_at: null, ended_at: null },
  }));
  const run = { id, recipe: "n", version: 1, holder: "k", submitterKind: "key", submitter: "ops" } as const;
  const texts = { request: JSON.stringify(request), steps: JSON.stringify(waiting) };
  expect(await store.recipes.addRun({ ...run, ticket: null, dry: null, ...texts }, caller)).toBe("added");
}
const drafted = async (run: string) =>
  (await store.changes.page({}, 1_000)).filter(({ recipeRun }) => recipeRun === run);
const stepsOf = async (id: string) => JSON.parse((await store.recipes.run(id))?.steps ?? "[]");
async function through(id: string, world: World): Promise<string[]> {
  const runner = runnerOn(store, world);
  runner.begin(id);
  await runner.waitFor(id, 30_000, new AbortController().signal);
  await runner.stop();
  return runner.said;
}
/** Up to its death, if it dies. */
async function lived(id: string, life: Life): Promise<void> {
  const runner = runnerOn(life.store, { started: { state: "done" } });
  runner.begin(id);
  await Promise.race([life.died, runner.waitFor(id, 30_000, new AbortController().signal).catch(() => {})]);
  await runner.stop();
}

test("killed at each call of the store, before or after it: each step has one change, and the run ends", async () => {
  const whole = living(Number.POSITIVE_INFINITY, true);
  await added("whole");
  await lived("whole", whole);
  expect((await store.recipes.run("whole"))?.state).toBe("finished");
  expect(whole.calls()).toBeGreaterThan(20);
  for (let at = 1; at <= whole.calls(); at++)
    for (const before of [true, false]) {
      const id = `r-${at}-${before}`;
      await added(id);
      await lived(id, living(at, before));
      await through(id, { started: { state: "done" } });
      expect([id, (await store.recipes.run(id))?.state]).toEqual([id, "finished"]);
      const changes = await drafted(id);
      expect(changes).toHaveLength(2);
      const known = (await stepsOf(id)).map((step: { change: { id: string } }) => step.change.id);
      expect(known.sort()).toEqual(changes.map((change) => change.id).sort());
      expect(changes.map(({ state, origin, recipe }) => `${state} ${origin} ${recipe}`)).toEqual([
        "done recipe n",
        "done recipe n",
      ]);
    }
}, 300_000);

test("killed at each call and cancelled then: no change is left that waits for votes", async () => {
  for (let at = 1; at <= 20; at++)
    for (const before of [true, false]) {
      const id = `c-${at}-${before}`;
      await added(id);
      await lived(id, living(at, before));
      const run = await store.recipes.run(id);
      if (run === undefined || run.endedAt !== null) continue;
      await store.recipes.moveRun(run, { state: "cancelling" });
      await through(id, { started: { state: "done" }, waits: true });
      expect([id, (await store.recipes.run(id))?.state]).toEqual([id, "cancelled"]);
      for (const { state } of await drafted(id)) expect(["cancelled", "done"]).toContain(state);
    }
}, 300_000);

test.each(["returned", "stopped", "partly_returned", "needs_person", "rejected", "expired"] as const)(
  "a change that is %s makes its step failed, with the reason, and the run ends",
  async (state) => {
    const id = `s-${state}`;
    await added(id);
    await through(id, { started: { state, reason: "a canary refused it" } });
    const reason = `its change is ${state.replace("_", " ")}: a canary refused it`;
    expect(await store.recipes.run(id)).toMatchObject({ state: "failed", reason: `step fix: ${reason}` });
    expect(await stepsOf(id)).toMatchObject([
      { state: "failed", reason, change: { state } },
      { state: "skipped", change: null },
    ]);
    expect(await drafted(id)).toHaveLength(1);
  },
);

test("whoever may not run the recipe any more begins no change: it is cancelled, and the reason is told", async () => {
  await added("withdrawn");
  let looks = 0;
  const said = await through("withdrawn", {
    started: { state: "done" },
    ownerOf: async () => (looks++ === 0 ? caller : { ...caller, recipes: ["other"] }),
  });
  expect(said).toEqual(["cancel"]);
  expect(await store.recipes.run("withdrawn")).toMatchObject({ state: "failed" });
});

test("a change that its author has edited is not the one of the step: the run ends, and the change stays", async () => {
  await added("edited");
  const world: World = { started: { state: "done" }, waits: true };
  const first = runnerOn(store, world);
  first.begin("edited");
  await expect.poll(async () => (await drafted("edited"))[0]?.state).toBe("approved");
  await first.stop();
  const [change] = await drafted("edited");
  if (change === undefined) throw new Error("nothing was drafted");
  const edit = { request: "{}", revision: 2, state: "waiting_approval" } as const;
  expect(await store.changes.move(change, edit, { what: "edited", by: caller })).toBe(true);
  await through("edited", world);
  expect((await store.recipes.run("edited"))?.state).toBe("failed");
  expect((await stepsOf("edited"))[0]).toMatchObject({
    state: "failed",
    reason: expect.stringContaining("was edited by"),
  });
  expect((await drafted("edited"))[0]?.state).toBe("waiting_approval");
});

test("a change that waits is cancelled when its owner has no rights any more, with the reason", async () => {
  await added("gone");
  const world: World = { started: { state: "done" }, waits: true };
  const first = runnerOn(store, world);
  first.begin("gone");
  await expect.poll(async () => (await drafted("gone"))[0]?.state).toBe("approved");
  await first.stop();
  await through("gone", { ...world, ownerOf: async () => undefined });
  expect(await store.recipes.run("gone")).toMatchObject({
    ...{ state: "failed", reason: expect.stringContaining("no rights any more") },
  });
  expect((await drafted("gone"))[0]).toMatchObject({
    ...{ state: "cancelled", reason: expect.stringContaining("no rights any more") },
  });
});
