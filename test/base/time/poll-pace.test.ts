/** Idle nodes poll a shared store rarely, and not all at once. */
import { expect, test } from "vitest";
import { createPollPace } from "../../../src/base/time/poll-pace.ts";

const times = { leastMs: 50, maxMs: 3_000 };

test("polls slow down to the maximum interval while idle, and speed up when work is found", () => {
  const pace = createPollPace(times, () => 0);
  const waits = Array.from({ length: 15 }, () => {
    pace.looked(false);
    return pace.nextMs();
  });
  expect(waits).toEqual([...waits].sort((a, b) => a - b));
  expect(waits.slice(-3)).toEqual([3_000, 3_000, 3_000]);
  expect(pace.nextMs(1_000)).toBe(1_000);
  pace.looked(true);
  expect(pace.nextMs()).toBe(50);
});

test("the polls of nodes started together drift apart, within the maximum interval", () => {
  const waits = [0, 0.5, 1].map((draw) => {
    const pace = createPollPace(times, () => draw);
    for (let n = 0; n < 20; n++) pace.looked(false);
    return Math.round(pace.nextMs());
  });
  expect(waits).toEqual([3_000, 2_700, 2_400]);
});
