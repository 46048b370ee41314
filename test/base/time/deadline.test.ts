import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { abortReason, createDeadline, onAbort, within } from "../../../src/base/time/deadline.ts";

describe("a deadline", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const late = () => new ServiceError("JobTimeout", "late");

  test("aborts its signal with its own reason when it expires", () => {
    const deadline = createDeadline(1000, late);
    expect(deadline.remaining()).toBeGreaterThan(0);
    vi.advanceTimersByTime(1001);
    expect(deadline.signal.aborted).toBe(true);
    expect(abortReason(deadline.signal)).toMatchObject({ kind: "JobTimeout" });
    expect(deadline.remaining()).toBe(0);
  });

  test("can be aborted earlier with another reason, and does not fire after dispose", () => {
    const first = createDeadline(1000, late);
    first.abort(new ServiceError("Cancelled", "by hand"));
    expect(abortReason(first.signal)).toMatchObject({ kind: "Cancelled" });
    const second = createDeadline(1000, late);
    second.dispose();
    vi.advanceTimersByTime(5000);
    expect(second.signal.aborted).toBe(false);
  });

  test("of 30 days does not fire at once", () => {
    const deadline = createDeadline(86_400_000 * 30, late);
    vi.advanceTimersByTime(1000);
    expect(deadline.signal.aborted).toBe(false);
    deadline.dispose();
  });

  test("within: the first of value, timeout and abort wins", async () => {
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

  test("does not run while the remote side is not read", async () => {
    let held = 0;
    const deadline = createDeadline(1000, late, () => held);
    const waits = within(new Promise<never>(() => {}), 1000, deadline.signal, late, () => held);
    const failed = expect(waits).rejects.toMatchObject({ kind: "JobTimeout" });
    for (let step = 0; step < 50; step++) {
      held += 100;
      vi.advanceTimersByTime(100);
    }
    expect(deadline.signal.aborted).toBe(false);
    expect(deadline.remaining()).toBe(1000);
    vi.advanceTimersByTime(1100);
    expect(deadline.signal.aborted).toBe(true);
    await failed;
  });

  test("calls an abort listener at once if already aborted", () => {
    const seen: string[] = [];
    onAbort(
      AbortSignal.abort(new ServiceError("Cancelled", "before")),
      (reason) => void seen.push(reason.message),
    );
    expect(seen).toEqual(["before"]);
  });
});
