import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { abortReason, createDeadline, onAbort, within } from "../../src/base/deadline.ts";
import { ServiceError } from "../../src/base/errors.ts";

describe("deadline", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const late = () => new ServiceError("JobTimeout", "late");

  test("ends with its own reason", () => {
    const deadline = createDeadline(1000, late);
    expect(deadline.remaining()).toBeGreaterThan(0);
    vi.advanceTimersByTime(1001);
    expect(deadline.signal.aborted).toBe(true);
    expect(abortReason(deadline.signal)).toMatchObject({ kind: "JobTimeout" });
    expect(deadline.remaining()).toBe(0);
  });

  test("can be ended earlier for another reason, and no longer fires when disposed", () => {
    const first = createDeadline(1000, late);
    first.abort(new ServiceError("Cancelled", "by hand"));
    expect(abortReason(first.signal)).toMatchObject({ kind: "Cancelled" });
    const second = createDeadline(1000, late);
    second.dispose();
    vi.advanceTimersByTime(5000);
    expect(second.signal.aborted).toBe(false);
  });

  test("a day is not taken for no time at all", () => {
    const deadline = createDeadline(86_400_000 * 30, late);
    vi.advanceTimersByTime(1000);
    expect(deadline.signal.aborted).toBe(false);
    deadline.dispose();
  });

  test("within: the first of value, time and signal wins", async () => {
    const never = new Promise<never>(() => {});
    const deadline = createDeadline(10_000, late);
    await expect(within(Promise.resolve(1), 10, deadline.signal, late)).resolves.toBe(1);
    const timed = within(never, 10, deadline.signal, () => new ServiceError("ReadTimeout", "slow"));
    const stopped = within(never, 10_000, deadline.signal, late);
    const both = Promise.all([
      expect(timed).rejects.toMatchObject({ kind: "ReadTimeout" }),
      expect(stopped).rejects.toMatchObject({ kind: "Cancelled" }),
    ]);
    vi.advanceTimersByTime(11);
    deadline.abort(new ServiceError("Cancelled", "by hand"));
    await both;
  });

  test("a signal that has ended calls its listener at once", () => {
    const seen: string[] = [];
    onAbort(
      AbortSignal.abort(new ServiceError("Cancelled", "before")),
      (reason) => void seen.push(reason.message),
    );
    expect(seen).toEqual(["before"]);
  });
});
