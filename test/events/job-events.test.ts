/** A waiter for the end of a job is notified once, and never after it unsubscribed. */
import { expect, test } from "vitest";
import { createJobEvents } from "../../src/events/job-events.ts";

test("the end of a job notifies those who wait for it or its bulk, and nobody else", () => {
  const events = createJobEvents();
  const heard: string[] = [];
  for (const key of ["j1", "j2", "b1"]) events.onEnd(key, () => heard.push(key));
  events.announceEnd({ id: "j1", bulkId: "b1", status: "finished" });
  events.announceEnd({ id: "j9", bulkId: null, status: "finished" });
  expect(heard).toEqual(["j1", "b1"]);
});

test("unsubscribing during a notification does not affect other listeners", () => {
  const events = createJobEvents();
  const notified: string[] = [];
  const stop = events.onEnd("j1", () => notified.push("first"));
  events.onEnd("j1", () => {
    notified.push("second");
    stop();
  });
  events.announceEnd({ id: "j1", bulkId: null, status: "finished" });
  events.announceEnd({ id: "j1", bulkId: null, status: "finished" });
  expect(notified).toEqual(["first", "second", "second"]);
});

test("a job submitted here is open until its end is announced", () => {
  const events = createJobEvents();
  events.submitted("j1");
  expect([events.isOpen("j1"), events.isOpen("j2")]).toEqual([true, false]);
  events.announceEnd({ id: "j1", bulkId: null, status: "cancelled" });
  expect(events.isOpen("j1")).toBe(false);
});

test("a job taken by another node notifies its listeners and is no longer open", () => {
  const events = createJobEvents();
  const notified: string[] = [];
  events.submitted("j1");
  events.onEnd("j1", () => notified.push("j1"));
  events.onEveryEnd(() => notified.push("every"));
  events.takenElsewhere("j1");
  expect([events.isOpen("j1"), notified]).toEqual([false, ["j1"]]);
});
