/** Limits of a task and loss of a process, on fake processes with controlled CPU time and death. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDeadline } from "../../src/base/time/deadline.ts";
import type { RunOptions } from "../../src/pool/port.ts";
import { createTemplatePool } from "../../src/pool/template-pool.ts";
import type { RenderTask } from "../../src/protocol/task.ts";
import { plainSettings } from "../executor/fixtures.ts";
import { type FakeBehaviour, type FakeChild, fakeChild } from "./child.fixture.ts";

const limitMs = 1_000;
const mebibyte = 1024 * 1024;

const render = (source: string): RenderTask => ({
  kind: "render",
  engine: "jinja2",
  source,
  trusted: false,
  args: {},
  contextJson: "{}",
});

/** A pool of fake processes; the first ones behave as given, later ones are healthy. */
function pool(behaviours: FakeBehaviour[] = [], processes = 1) {
  const children: FakeChild[] = [];
  const tasks = new Map<string, PromiseWithResolvers<FakeChild>>();
  const task = (source: string) => {
    const existing = tasks.get(source) ?? Promise.withResolvers<FakeChild>();
    tasks.set(source, existing);
    return existing;
  };
  const templates = createTemplatePool({
    spawn: () => {
      const child = fakeChild(behaviours[children.length], (source, taker) => task(source).resolve(taker));
      children.push(child);
      return child;
    },
    processes,
    settings: plainSettings,
    log: silentLog,
    limitMs,
    memoryBytes: 100 * mebibyte,
  });
  const run = (source: string, options: Partial<RunOptions> = {}) => {
    const deadline = createDeadline(3_600_000, () => new ServiceError("JobTimeout", "late"));
    return templates.run(render(source), { deadline, ...options }).finally(() => deadline.dispose());
  };
  /** The process that received this task. */
  const processOf = (source: string) => task(source).promise;
  return { children, run, processOf };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

describe("the limits of a template task", () => {
  test("count CPU time, so that a starved process continues", async () => {
    const { run, processOf } = pool();
    const answer = run("honest");
    const child = await processOf("honest");
    child.used = { cpuMs: limitMs - 10, residentBytes: 0 };
    await vi.advanceTimersByTimeAsync(limitMs * 9);
    child.finish("done");
    expect(await answer).toMatchObject({ text: "done" });
    expect(child.alive).toBe(true);
  });

  test("stop a task that exceeds its CPU time", async () => {
    const { run, processOf } = pool();
    const answer = run("spin");
    const ended = expect(answer).rejects.toMatchObject({
      kind: "TemplateTimeout",
      message: "The template was still rendering after 1 seconds of computing and was stopped.",
    });
    const child = await processOf("spin");
    child.used = { cpuMs: limitMs, residentBytes: 0 };
    await vi.advanceTimersByTimeAsync(limitMs);
    await ended;
    expect(child.alive).toBe(false);
  });

  test("stop a task that only waits after ten times as long", async () => {
    const { run, processOf } = pool();
    const answer = run("wait");
    const ended = expect(answer).rejects.toMatchObject({ kind: "TemplateTimeout" });
    const child = await processOf("wait");
    await vi.advanceTimersByTimeAsync(limitMs * 9);
    expect(child.alive).toBe(true);
    await vi.advanceTimersByTimeAsync(limitMs);
    await ended;
    expect(child.alive).toBe(false);
  });

  test("use elapsed time if the CPU time is unknown", async () => {
    const { run, processOf } = pool();
    const ended = expect(run("spin")).rejects.toMatchObject({ kind: "TemplateTimeout" });
    const child = await processOf("spin");
    child.used = undefined;
    await vi.advanceTimersByTimeAsync(limitMs * 2);
    await ended;
  });

  test("do not count CPU time of earlier tasks in the same process", async () => {
    const { run, processOf } = pool();
    const first = run("first");
    const child = await processOf("first");
    child.used = { cpuMs: limitMs - 100, residentBytes: 0 };
    child.finish("1");
    await first;
    const second = run("second");
    await processOf("second");
    child.used = { cpuMs: 2 * limitMs - 200, residentBytes: 0 };
    await vi.advanceTimersByTimeAsync(limitMs * 5);
    child.finish("2");
    expect(await second).toMatchObject({ text: "2" });
  });

  test("include memory", async () => {
    const { run, processOf } = pool();
    const ended = expect(run("eat")).rejects.toMatchObject({ kind: "TemplateLimit" });
    const child = await processOf("eat");
    child.used = { cpuMs: 10, residentBytes: 101 * mebibyte };
    await vi.advanceTimersByTimeAsync(limitMs);
    await ended;
    expect(child.alive).toBe(false);
  });
});

describe("a template process that dies", () => {
  test.each([
    ["silent" as const, 5],
    ["throws" as const, 5],
  ])("before it received its task does not count as an attempt (%s)", async (dead, count) => {
    const { run, processOf } = pool(new Array<FakeBehaviour>(count).fill({ dead }));
    const answer = run("x");
    (await processOf("x")).finish("done");
    expect(await answer).toMatchObject({ text: "done" });
  });

  test("during its task gets a second attempt", async () => {
    const { run, processOf } = pool([{ falls: true }, { dead: "silent" }]);
    const answer = run("x");
    (await processOf("x")).finish("done");
    expect(await answer).toMatchObject({ text: "done" });
  });

  test("during its task twice fails the task", async () => {
    const { run, children } = pool([{ falls: true }, { falls: true }]);
    await expect(run("x")).rejects.toMatchObject({ kind: "TemplateLimit" });
    expect(children).toHaveLength(2);
  });

  test("at every start fails the task eventually", async () => {
    const { run, children } = pool(new Array<FakeBehaviour>(100).fill({ dead: "throws" }));
    await expect(run("x")).rejects.toMatchObject({ kind: "WorkerLost" });
    expect(children.length).toBeLessThan(100);
  });
});

test("a process that cannot start is not reported as a template that uses too much memory", async () => {
  const { run } = pool(new Array<FakeBehaviour>(100).fill({ cannotStart: true }));
  await expect(run("x")).rejects.toMatchObject({
    kind: "Internal",
    message: expect.stringContaining("exited while it started"),
  });
});

describe("the share of each key", () => {
  const of = (key: string, job = false): Partial<RunOptions> => ({ share: { key, job } });

  test("lets other keys and its own jobs run if one key uses all processes", async () => {
    const { run, processOf, children } = pool([], 2);
    const long = Array.from({ length: 30 }, (_, at) => run(`long ${at}`, of("a")));
    const first = await processOf("long 0");
    await processOf("long 1");
    const job = run("job", of("a", true));
    for (let at = 0; at < 3; at++) {
      const small = run(`small ${at}`, of("b"));
      (await processOf(`small ${at}`)).finish("b");
      expect(await small).toMatchObject({ text: "b" });
    }
    expect(children).toHaveLength(3);
    first.finish("0");
    expect(await processOf("job")).toBe(first);
    first.finish("parsed");
    expect(await job).toMatchObject({ text: "parsed" });
    for (let at = 1; at < long.length; at++) (await processOf(`long ${at}`)).finish("done");
    await Promise.all(long);
    // The process beyond the allowed two is not kept forever.
    await vi.advanceTimersByTimeAsync(10_000);
    expect(children.filter(({ alive }) => alive)).toHaveLength(2);
  });

  test("rejects tasks if the queue is full, or after the maximum wait", async () => {
    const { run, processOf } = pool();
    const running = run("running", of("a"));
    const child = await processOf("running");
    const waiting = Array.from({ length: 64 }, (_, at) =>
      run(`waiting ${at}`, { ...of("a"), waitMs: 30_000 }).catch((error: unknown) => error),
    );
    const full = { kind: "TooManyRequests", detail: { retryAfter: expect.any(Number) } };
    await expect(run("one more", of("a"))).rejects.toMatchObject(full);
    child.used = { cpuMs: 10, residentBytes: 0 };
    await vi.advanceTimersByTimeAsync(limitMs * 9);
    child.finish("done");
    await running;
    const next = await processOf("waiting 0");
    next.used = { cpuMs: 20, residentBytes: 0 };
    next.finish("done");
    await vi.advanceTimersByTimeAsync(30_000);
    const ends = await Promise.all(waiting.slice(0, 1).concat(waiting.slice(10)));
    expect(ends[0]).toMatchObject({ text: "done" });
    for (const end of ends.slice(1)) expect(end).toMatchObject(full);
  });

  test("is charged with the CPU time of each task, even of a stopped one", async () => {
    const { run, processOf } = pool();
    const spent: number[] = [];
    const onSpent = (cpuMs: number) => void spent.push(cpuMs);
    const honest = run("honest", { onSpent });
    (await processOf("honest")).finish("done", 120);
    await honest;
    const stopped = expect(run("spin", { onSpent })).rejects.toMatchObject({ kind: "TemplateTimeout" });
    (await processOf("spin")).used = { cpuMs: 120 + limitMs, residentBytes: 0 };
    await vi.advanceTimersByTimeAsync(limitMs);
    await stopped;
    expect(spent).toEqual([120, limitMs]);
  });
});

describe("an idle pool", () => {
  test("starts no process before it is needed and ends one that is idle", async () => {
    const { children, run, processOf } = pool();
    expect(children).toHaveLength(0);
    const first = run("first");
    (await processOf("first")).finish("1");
    await first;
    await vi.advanceTimersByTimeAsync(200_000);
    const second = run("second");
    (await processOf("second")).finish("2");
    await second;
    await vi.advanceTimersByTimeAsync(200_000);
    expect(children.map(({ alive }) => alive)).toEqual([true]);
    await vi.advanceTimersByTimeAsync(200_000);
    expect(children.map(({ alive }) => alive)).toEqual([false]);
    const third = run("third");
    (await processOf("third")).finish("3");
    expect(await third).toMatchObject({ text: "3" });
    expect(children).toHaveLength(2);
  });
});
