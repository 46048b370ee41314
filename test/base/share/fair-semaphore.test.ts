/** Limits concurrent heavy work, with keys taking turns. */
import { describe, expect, test } from "vitest";
import { createFairSemaphore } from "../../../src/base/share/fair-semaphore.ts";

const signal = new AbortController().signal;

describe("the fair semaphore", () => {
  test("runs one task at a time and alternates between keys", async () => {
    const semaphore = createFairSemaphore({ atOnce: 1, perKey: 1 });
    const order: string[] = [];
    let inside = 0;
    const work = (name: string) => async () => {
      expect(++inside).toBe(1);
      await Promise.resolve();
      inside--;
      order.push(name);
    };
    const all = Array.from({ length: 50 }, () => semaphore.run("many", signal, work("many")));
    all.push(semaphore.run("one", signal, work("one")));
    await Promise.all(all);
    expect(order.indexOf("one")).toBeLessThanOrEqual(2);
    expect(order).toHaveLength(51);
  });

  test("skips a task that was cancelled while waiting, and continues after a failed one", async () => {
    const semaphore = createFairSemaphore({ atOnce: 1, perKey: 1 });
    const leaving = new AbortController();
    const fault = semaphore.run("a", signal, () => Promise.reject(new Error("broken")));
    let ran = false;
    const left = semaphore.run("a", leaving.signal, () => {
      ran = true;
    });
    leaving.abort();
    await expect(fault).rejects.toThrow("broken");
    await expect(left).rejects.toMatchObject({ kind: "Cancelled" });
    expect(ran).toBe(false);
    expect(await semaphore.run("a", signal, () => 7)).toBe(7);
  });

  test("refuses a request that gets no turn in time, and says when to try again", async () => {
    const semaphore = createFairSemaphore({ atOnce: 1, perKey: 1, maxWaitMs: 20 });
    const leave = await semaphore.acquireSoon("a", signal);
    const refusals = Array.from({ length: 20 }, () => semaphore.runSoon("b", signal, () => 1));
    for (const refusal of refusals)
      await expect(refusal).rejects.toMatchObject({ kind: "TooManyRequests", detail: { retryAfter: 10 } });
    leave();
    expect(await semaphore.runSoon("b", signal, () => 7)).toBe(7);
  });

  test("loses no turn when callers leave, before it comes or at the same moment", async () => {
    const semaphore = createFairSemaphore({ atOnce: 1, perKey: 1 });
    for (const isSooner of [true, false]) {
      const leave = await semaphore.acquireSoon("a", signal);
      const gone = new AbortController();
      const waits = semaphore.acquireSoon("b", gone.signal);
      if (isSooner) gone.abort();
      leave();
      gone.abort();
      await waits.then(
        (release) => release(),
        (error) => expect(error).toMatchObject({ kind: "Cancelled" }),
      );
      expect(await semaphore.runSoon("c", signal, () => 7)).toBe(7);
    }
  });
});
