/** A request with several store calls waits no longer in total than for one. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pause } from "../../../src/base/time/deadline.ts";
import { createTimeBudget, storeBudgetMs } from "../../../src/base/time/time-budget.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => {});
const unavailable = { kind: "Unavailable", detail: { retryAfter: expect.any(Number) } };

/** The current state of a promise. */
function watched(promise: Promise<unknown>): () => unknown {
  let end: unknown = "waits";
  promise.then(
    (value) => (end = value),
    (error) => (end = error),
  );
  return () => end;
}

test("slow store calls add up until the time budget of the request is spent", async () => {
  const budget = createTimeBudget();
  const first = watched(budget.wait(pause(2_000).then(() => "first")));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(first()).toBe("first");
  const second = watched(budget.wait(pause(2_000)));
  await vi.advanceTimersByTimeAsync(200);
  expect(second()).toBe("waits");
  await vi.advanceTimersByTimeAsync(200);
  expect(second()).toMatchObject(unavailable);
});

test("a store that never answers is reported within three seconds, also after several slow calls", async () => {
  const budget = createTimeBudget();
  for (let at = 0; at < 4; at++) {
    const slow = watched(budget.wait(pause(500).then(() => at)));
    await vi.advanceTimersByTimeAsync(500);
    expect(slow()).toBe(at);
  }
  const last = watched(budget.wait(never));
  await vi.advanceTimersByTimeAsync(600);
  expect(last()).toMatchObject({ ...unavailable, detail: { ambiguous: true } });
});

test("a larger call gets more time, and a store error is passed through", async () => {
  const budget = createTimeBudget();
  const large = watched(budget.wait(never, 10_000));
  await vi.advanceTimersByTimeAsync(12_000);
  expect(large()).toBe("waits");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(large()).toMatchObject(unavailable);
  await expect(createTimeBudget().wait(Promise.reject(new Error("damaged")))).rejects.toThrow("damaged");
});

test("calls to a local file get ten seconds", async () => {
  const budget = createTimeBudget(storeBudgetMs.file);
  const slow = watched(budget.wait(pause(9_000).then(() => "there")));
  await vi.advanceTimersByTimeAsync(9_000);
  expect(slow()).toBe("there");
  const endless = watched(budget.wait(never));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(endless()).toMatchObject(unavailable);
});
