/** When processes end that have nothing to do: five minutes after the last task, those of searches after eight hours. */
import { expect, test } from "vitest";
import { createProcesses } from "../../src/pool/processes.ts";
import type { TemplateProcess } from "../../src/pool/template-process.ts";
import { searchRestMs } from "../../src/service/pools.ts";

const hour = 3_600_000;
const share = { key: "k", job: false };
const claim = { share, bytes: 0, signal: new AbortController().signal, isRetry: false };

/** A clock that stands until it is set forward, and processes that do nothing. */
function started(restMs?: number) {
  let now = 0;
  let due: { readonly at: number; run(): void } | undefined;
  const killed: number[] = [];
  let spawned = 0;
  const spawn = (): TemplateProcess => {
    const pid = ++spawned;
    const idle: Pick<TemplateProcess, "pid" | "over" | "killed" | "kill"> = {
      ...{ pid, over: new Promise<void>(() => {}), killed: () => killed.includes(pid) },
      kill: () => void killed.push(pid),
    };
    return idle as TemplateProcess;
  };
  const processes = createProcesses(spawn, 1, {
    restMs,
    after(ms, run) {
      const timer = { at: now + ms, run };
      due = timer;
      return () => {
        if (due === timer) due = undefined;
      };
    },
  });
  return {
    killed,
    /** @returns the process that had it */
    async task() {
      const process = await processes.take(claim);
      processes.release(process, share, 1);
      return process.pid;
    },
    pass(ms: number) {
      now += ms;
      if (due !== undefined && due.at <= now) due.run();
    },
  };
}

test("a process of searches is there eight hours after the last one, and is gone then", async () => {
  const { killed, task, pass } = started(searchRestMs);
  expect(await task()).toBe(1);
  pass(7 * hour);
  expect(await task()).toBe(1);
  pass(8 * hour - 1);
  expect(killed).toEqual([]);
  expect(await task()).toBe(1);
  pass(8 * hour);
  expect(killed).toEqual([1]);
  expect(await task()).toBe(2);
});

test("others end after five minutes", async () => {
  const { killed, task, pass } = started();
  expect(await task()).toBe(1);
  pass(hour / 12 - 1);
  expect(killed).toEqual([]);
  pass(1);
  expect(killed).toEqual([1]);
});
