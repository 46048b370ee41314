/** The latest device output: in order, by position, within bounds. */
import { describe, expect, test } from "vitest";
import { createLiveOutput } from "../../src/events/live-output.ts";

describe("the live output of a job", () => {
  test("is read from the end of the previous read", () => {
    const live = createLiveOutput();
    live.begin("a", 1);
    live.add("a", { kind: "output", text: "one " });
    const first = live.read("a", undefined);
    live.add("a", { kind: "output", text: "two" });
    expect(first).toEqual({ text: "one ", missed: 0, next: { attempt: 1, at: 4 }, statuses: [] });
    expect(live.read("a", first?.next)).toEqual({
      text: "two",
      missed: 0,
      next: { attempt: 1, at: 7 },
      statuses: [],
    });
  });

  test("is empty if the job does not run here", () => {
    const live = createLiveOutput();
    live.add("a", { kind: "output", text: "late" });
    expect(live.read("a", undefined)).toBeUndefined();
    live.begin("a", 1);
    live.end("a");
    expect(live.read("a", undefined)).toBeUndefined();
    expect(live.held()).toBe(0);
  });

  test("starts over with a second attempt, also for readers of the first", () => {
    const live = createLiveOutput();
    live.begin("a", 1);
    live.add("a", { kind: "output", text: "first" });
    live.begin("a", 2);
    live.add("a", { kind: "output", text: "2nd" });
    expect(live.read("a", { attempt: 1, at: 5 })).toEqual({
      text: "2nd",
      missed: 0,
      next: { attempt: 2, at: 3 },
      statuses: [],
    });
  });

  test("is read from the start for an invalid position", () => {
    const live = createLiveOutput();
    live.begin("a", 1);
    live.add("a", { kind: "output", text: "abc" });
    expect(live.read("a", { attempt: 1, at: 999 })?.text).toBe("abc");
  });

  test("keeps the last characters and the number of missed ones", () => {
    const live = createLiveOutput({ perJob: 4, inAll: 100 });
    live.begin("a", 1);
    live.add("a", { kind: "output", text: "abcdefgh" });
    expect(live.read("a", { attempt: 1, at: 1 })).toEqual({
      text: "efgh",
      missed: 3,
      next: { attempt: 1, at: 8 },
      statuses: [],
    });
  });
});

test("live output of all jobs together is bounded; the job silent for longest is dropped first", () => {
  const live = createLiveOutput({ perJob: 100, inAll: 250 });
  for (let job = 0; job < 50; job++) {
    live.begin(`job${job}`, 1);
    live.add(`job${job}`, { kind: "output", text: "x".repeat(100) });
    expect(live.held()).toBeLessThanOrEqual(250);
  }
  expect(live.read("job49", undefined)?.text).toHaveLength(100);
  expect(live.read("job0", undefined)?.missed).toBe(100);
});

test("listeners of live output are notified of start, output and end until they unsubscribe", () => {
  const live = createLiveOutput();
  let calls = 0;
  const stop = live.listen("a", () => calls++);
  live.begin("a", 1);
  live.add("a", { kind: "output", text: "x" });
  live.begin("b", 1);
  live.end("a");
  expect(calls).toBe(3);
  stop();
  live.begin("a", 2);
  expect(calls).toBe(3);
});

test("the progress of a transfer is the latest of the current attempt, while it runs", () => {
  const live = createLiveOutput();
  live.add("a", { kind: "progress", done: 1, total: 2 });
  expect(live.progressOf("a")).toBeUndefined();
  live.begin("a", 1);
  let notifications = 0;
  live.listen("a", () => notifications++);
  live.add("a", { kind: "progress", done: 1, total: 2 });
  live.add("a", { kind: "progress", done: 2, total: 2 });
  expect(live.progressOf("a")).toMatchObject({ done: 2, total: 2 });
  expect(notifications).toBe(2);
  live.begin("a", 2);
  expect(live.progressOf("a")).toBeUndefined();
  live.end("a");
});
