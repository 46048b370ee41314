/**
 * Scheduling order: the key with the least use first, jobs before direct requests, within the available
 * capacity.
 */
import { describe, expect, test } from "vitest";
import { createTemplateQueue } from "../../src/pool/template-queue.ts";

const limits = { perKey: 3, inAll: 5, bytesPerKey: 100, bytesInAll: 150 };
const call = (key: string) => ({ key, job: false });
const job = (key: string) => ({ key, job: true });
const list = () => createTemplateQueue<string>(limits);

describe("the next template task", () => {
  test("belongs to the key with fewer processes, then to the key that used less time", () => {
    const waiting = list();
    for (const item of ["a1", "a2", "a3"]) waiting.add(call("a"), 0, item, false);
    waiting.add(call("b"), 0, "b1", false);
    expect([waiting.next(false), waiting.next(false), waiting.next(false)]).toEqual(["b1", "a1", "a2"]);
    waiting.done("b", 5);
    waiting.done("a", 5_000);
    waiting.done("a", 5_000);
    waiting.add(call("b"), 0, "b2", false);
    expect([waiting.next(false), waiting.next(false)]).toEqual(["b2", "a3"]);
    expect(waiting.next(false)).toBeUndefined();
  });

  test("does not favour a key that was idle", () => {
    const waiting = list();
    waiting.add(call("a"), 0, "a1", false);
    waiting.next(false);
    waiting.add(call("a"), 0, "a2", false);
    waiting.done("a", 1_000);
    waiting.add(call("b"), 0, "b1", false);
    waiting.next(false);
    waiting.next(false);
    waiting.add(call("a"), 0, "a3", false);
    waiting.add(call("b"), 0, "b2", false);
    waiting.done("a", 10);
    waiting.done("b", 500);
    expect(waiting.next(false)).toBe("a3");
  });

  test("is one of a job before one of a direct request", () => {
    const waiting = list();
    waiting.add(call("a"), 0, "call of a", false);
    waiting.add(call("b"), 0, "call of b", false);
    waiting.add(job("b"), 0, "job of b", false);
    expect(waiting.next(false)).toBe("job of b");
  });

  test("belongs to a key without a process if only those are wanted", () => {
    const waiting = list();
    waiting.add(job("a"), 0, "a1", false);
    waiting.add(job("a"), 0, "a2", false);
    waiting.next(false);
    expect(waiting.next(true)).toBeUndefined();
    waiting.add(call("b"), 0, "b1", false);
    expect(waiting.next(true)).toBe("b1");
  });

  test("is one whose process was lost", () => {
    const waiting = list();
    waiting.add(call("a"), 0, "new", false);
    waiting.add(call("a"), 0, "lost", true);
    expect(waiting.next(false)).toBe("lost");
  });
});

describe("the room for waiting template tasks", () => {
  const full = expect.objectContaining({
    kind: "TooManyRequests",
    detail: { retryAfter: expect.any(Number) },
  });
  const refusal = (work: () => void) => {
    try {
      work();
    } catch (error) {
      return error;
    }
    return undefined;
  };

  test("is limited per key and in total", () => {
    const waiting = list();
    for (let at = 0; at < 3; at++) waiting.add(call("a"), 1, `a${at}`, false);
    expect(refusal(() => waiting.add(call("a"), 1, "a3", false))).toEqual(full);
    waiting.add(call("b"), 1, "b0", false);
    waiting.add(call("c"), 1, "c0", false);
    expect(refusal(() => waiting.add(call("d"), 1, "d0", false))).toEqual(full);
    waiting.remove("a1");
    waiting.add(call("d"), 1, "d0", false);
    expect(waiting.size).toBe(5);
  });

  test("counts bytes, but admits one task of any size", () => {
    const waiting = list();
    waiting.add(call("a"), 99, "a0", false);
    expect(refusal(() => waiting.add(call("a"), 2, "a1", false))).toEqual(full);
    waiting.add(call("b"), 51, "b0", true);
    expect(refusal(() => waiting.add(call("c"), 1, "c0", false))).toEqual(full);
    waiting.next(false);
    waiting.next(false);
    waiting.add(call("a"), 1_000, "a2", false);
  });

  test("is always available for jobs and for tasks of a lost process", () => {
    const waiting = list();
    for (let at = 0; at < 3; at++) waiting.add(call("a"), 1, `a${at}`, false);
    waiting.add(job("a"), 1_000, "job", false);
    waiting.add(call("a"), 1, "lost", true);
    expect(waiting.clear()).toEqual(["job", "lost", "a0", "a1", "a2"]);
    expect(waiting.size).toBe(0);
  });
});
