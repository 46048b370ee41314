/** What a run costs while nothing moves it on. */
import { afterEach, expect, test, vi } from "vitest";
import type { Caller } from "../../../src/auth/port.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import { silentLog } from "../../../src/base/log.ts";
import { createRunRunner, type RunnerTools } from "../../../src/recipes/running/runner.ts";

const waiting = {
  ...{ name: "one", kind: "push", state: "waiting", reason: null, bulk_id: null, counts: null, text: null },
  ...{ started_at: null, ended_at: null },
};
const step = { name: "one", kind: "push", on_failure: "stop", request: { config: ["x"] } };
const run = {
  ...{ id: "r", recipe: "n", holder: "k", submitterKind: "key", submitter: "n", ticket: null },
  ...{ state: "running", endedAt: null, createdAt: 0 },
  request: JSON.stringify({
    recipe: { steps: [step] },
    parameters: {},
    devices: ["d"],
    note: null,
    asked: "",
  }),
  steps: JSON.stringify([waiting]),
};

function runner() {
  const calls = { read: 0, bulk: 0 };
  const tools = {
    store: {
      ...{ clock: { wall: () => 0 }, shared: false },
      recipes: {
        async run() {
          calls.read++;
          return run;
        },
      },
    },
    jobs: {
      async bulk() {
        calls.bulk++;
        throw new ServiceError("TooManyRequests", "The queue is full.");
      },
    },
    ...{ log: silentLog, isReady: () => true },
    ownerOf: async () => ({ keyId: "k", name: "n", scope: "operate", hosts: [] }) as unknown as Caller,
  };
  return { calls, ...createRunRunner(tools as unknown as RunnerTools) };
}

test("no step of a run whose owner has no rights any more is told to go on", async () => {
  const moves: { steps?: string; state?: string }[] = [];
  const steps = JSON.stringify([
    { ...waiting, state: "running", bulk_id: "b" },
    { ...waiting, name: "two" },
  ]);
  const tools = {
    store: {
      ...{ clock: { wall: () => 0 }, shared: false },
      recipes: {
        run: async () => ({ ...run, steps, endedAt: moves.length > 0 ? 1 : null }),
        moveRun: async (_: unknown, move: object) => moves.push(move) > 0,
      },
    },
    ...{ jobs: {}, log: silentLog, isReady: () => true, ownerOf: async () => undefined },
  };
  const { begin, waitFor, stop } = createRunRunner(tools as unknown as RunnerTools);
  begin("r");
  await waitFor("r", 1_000, new AbortController().signal);
  await stop();
  const [move] = moves;
  expect(move?.state).toBe("failed");
  expect(JSON.parse(move?.steps ?? "[]")).toMatchObject([
    { state: "failed", reason: expect.stringContaining("not known"), bulk_id: "b", ended_at: 0 },
    { state: "skipped" },
  ]);
});

test("a step that was due a day ago is not submitted: it may have been before its node died", async () => {
  const moves: { steps?: string; state?: string; reason?: string | null }[] = [];
  let submitted = 0;
  const tools = {
    store: {
      ...{ clock: { wall: () => 24 * 3_600_000 }, shared: false },
      recipes: {
        run: async () => ({ ...run, endedAt: moves.length > 0 ? 1 : null }),
        moveRun: async (_: unknown, move: object) => moves.push(move) > 0,
      },
    },
    jobs: { bulk: async () => ({ bulk_id: String(submitted++) }) },
    ...{ log: silentLog, isReady: () => true },
    ownerOf: async () => ({ keyId: "k", name: "n", scope: "operate", hosts: [] }) as unknown as Caller,
  };
  const { begin, waitFor, stop } = createRunRunner(tools as unknown as RunnerTools);
  begin("r");
  await waitFor("r", 1_000, new AbortController().signal);
  await stop();
  expect(submitted).toBe(0);
  expect(moves[0]).toMatchObject({ state: "failed", reason: expect.stringContaining("a day ago") });
});

test.each(["b1", undefined])(
  "a cancel withdraws the bulk %s of a node that died before it noted it",
  async (bulk_id) => {
    const withdrawn: string[] = [];
    let stored = { ...run, state: "cancelling", endedAt: null as number | null };
    const counts = { finished: 0, failed: 0, cancelled: 2 };
    const tools = {
      store: {
        ...{ clock: { wall: () => 0 }, shared: false },
        recipes: {
          run: async () => stored,
          async moveRun(_: unknown, move: object) {
            stored = { ...stored, ...move };
            stored.endedAt = stored.state === "cancelling" ? null : 1;
            return true;
          },
        },
      },
      jobs: {
        submittedBulk: async (_: unknown, key: string) =>
          key === `recipe:${run.id}:0` ? bulk_id : undefined,
        cancelBulk: async (id: string) => void withdrawn.push(id),
        bulkResults: async () => new Map([["b1", { status: "ended", counts, error_types: {} }]]),
      },
      ...{ log: silentLog, isReady: () => true },
      ownerOf: async () => ({ keyId: "k", name: "n", scope: "operate", hosts: [] }) as unknown as Caller,
    };
    const { begin, waitFor, stop } = createRunRunner(tools as unknown as RunnerTools);
    begin("r");
    await waitFor("r", 1_000, new AbortController().signal);
    await stop();
    expect(withdrawn).toEqual(bulk_id === undefined ? [] : ["b1"]);
    expect(stored.state).toBe("cancelled");
    expect(JSON.parse(stored.steps)[0]).toMatchObject({ bulk_id: bulk_id ?? null });
  },
);

afterEach(() => {
  vi.useRealTimers();
});

test("a run that the queue has no room for is tried less and less often, and a cancel is not late", async () => {
  vi.useFakeTimers();
  const { calls, begin, stop } = runner();
  begin("r");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls.bulk).toBeGreaterThan(3);
  expect(calls.bulk).toBeLessThan(10);
  const before = calls.read;
  begin("r");
  await vi.advanceTimersByTimeAsync(1);
  expect(calls.read).toBeGreaterThan(before);
  void stop();
});

test("whoever waits for a run reads no store in a circle when the service stops", async () => {
  const { calls, begin, waitFor, stop } = runner();
  begin("r");
  const waited = waitFor("r", 1_000, new AbortController().signal);
  await new Promise((done) => setTimeout(done, 20));
  await stop();
  await waited;
  expect(calls.read).toBeLessThan(20);
});
