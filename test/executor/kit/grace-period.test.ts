import { expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { createDeadline } from "../../../src/base/time/deadline.ts";
import { withGracePeriod } from "../../../src/executor/kit/grace-period.ts";
import { taskContext } from "../../plugin/context.ts";

const job = () => createDeadline(60_000, () => new ServiceError("JobTimeout", "late"));
const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason), { once: true }));

test("work in a grace period continues after the end of its job", async () => {
  const deadline = job();
  const ctx = taskContext({ signal: deadline.signal, remaining: deadline.remaining });
  const done = withGracePeriod(ctx, 3_600_000, async (late) => {
    deadline.abort(new ServiceError("Cancelled", "by hand"));
    expect(late.signal.aborted).toBe(false);
    expect(late.remaining()).toBeGreaterThan(3_000_000);
    return "settled";
  });
  expect(await done).toBe("settled");
});

test("a grace period that starts after the end of its job still has its full length", async () => {
  const deadline = job();
  deadline.abort(new ServiceError("Cancelled", "by hand"));
  const ctx = taskContext({ signal: deadline.signal, remaining: deadline.remaining });
  const reason = await withGracePeriod(ctx, 1, ({ signal }) => aborted(signal));
  expect(reason).toMatchObject({
    kind: "JobTimeout",
    message: expect.stringContaining("neither confirmed nor undone"),
  });
});

test("work in a grace period announces nothing, and its output is part of the dialogue", async () => {
  const calls: unknown[] = [];
  const ctx = taskContext({
    announce: (lines) => void calls.push(lines),
    output: (text) => void calls.push(text),
  });
  await withGracePeriod(ctx, 1_000, async (late) => {
    await late.announce(["a"]);
    late.output("b");
  });
  expect(calls).toEqual(["b"]);
});
