/** A repeated submission waits for the response of the one in progress. */
import { describe, expect, test } from "vitest";
import { createInFlightSubmissions } from "../../src/limits/in-flight.ts";

describe("a repeated Idempotency-Key", () => {
  const submission = { caller: "k", key: "once", endpoint: "bulk", text: "{}" };

  test("waits for the response of the first submission; the work is done once", async () => {
    const inFlight = createInFlightSubmissions();
    let done = 0;
    const gate = Promise.withResolvers<void>();
    const work = async () => {
      done++;
      await gate.promise;
      return { id: done };
    };
    const all = Array.from({ length: 100 }, () => inFlight.run(submission, work));
    gate.resolve();
    expect(new Set((await Promise.all(all)).map((answer) => answer.id))).toEqual(new Set([1]));
    expect(done).toBe(1);
  });

  test("fails as InProgress if the first submission takes too long", async () => {
    const inFlight = createInFlightSubmissions(1);
    const gate = Promise.withResolvers<number>();
    const first = inFlight.run(submission, () => gate.promise);
    await expect(inFlight.run(submission, async () => 2)).rejects.toMatchObject({ kind: "InProgress" });
    gate.resolve(1);
    expect(await first).toBe(1);
  });

  test("gets the recent response from memory; failures are not remembered", async () => {
    const inFlight = createInFlightSubmissions();
    const failing = () => Promise.reject(new Error("not stored"));
    await expect(inFlight.run(submission, failing)).rejects.toThrow("not stored");
    expect(await inFlight.run(submission, async () => 1)).toBe(1);
    expect(await inFlight.run(submission, async () => 2)).toBe(1);
    const other = inFlight.run({ ...submission, text: "[]" }, async () => 3);
    await expect(other).rejects.toMatchObject({ kind: "Conflict" });
  });

  test("is rejected at once with another body or endpoint; other API keys are independent", async () => {
    const inFlight = createInFlightSubmissions();
    const gate = Promise.withResolvers<number>();
    const first = inFlight.run(submission, () => gate.promise);
    const never = async () => 2;
    await expect(inFlight.run({ ...submission, text: "[]" }, never)).rejects.toMatchObject({
      kind: "Conflict",
    });
    await expect(inFlight.run({ ...submission, endpoint: "execute" }, never)).rejects.toMatchObject({
      kind: "Conflict",
    });
    expect(await inFlight.run({ ...submission, caller: "other" }, never)).toBe(2);
    gate.resolve(1);
    await first;
  });
});
