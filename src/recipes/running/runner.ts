/**
 * Moves runs on, each by itself. What comes next follows from the store alone: a step is submitted under a key of its
 * own, so that a repeat after a crash, or by another node, gets the same bulk, and a move holds only from the one that
 * was read.
 */
import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { pause } from "../../base/time/deadline.ts";
import type { RunChanges } from "../../changes/port.ts";
import type { Jobs } from "../../jobs/port.ts";
import type { Store, StoredRun } from "../../store/port.ts";
import type { Next } from "./moves.ts";
import type { StepTools } from "./steps.ts";

export interface RunnerTools extends Omit<StepTools, "store" | "jobs" | "changes"> {
  readonly store: Pick<Store, "recipes" | "clock" | "shared">;
  readonly jobs: StepTools["jobs"] & Pick<Jobs, "waitForBulk">;
  readonly changes: Omit<RunChanges, "check">;
  readonly log: Log;
  /** Whether this node takes work now. */
  isReady(): boolean;
}

export interface RunRunner {
  start(): void;
  /** A run was added, or is to be cancelled. */
  begin(id: string): void;
  /** Waits until the run has ended, or for the time or signal. */
  waitFor(id: string, forMs: number, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** A bulk is waited for at most this long, then looked at again. */
const lookMs = 30_000;
/** What the service cannot take is tried again later and later. */
const againMs = { first: 1_000, last: 30_000 } as const;
/** On a shared store: runs of nodes that died, and ends that another node has seen. */
const pollMs = { shared: 10_000, waiting: 1_000 } as const;
const stopMs = 2_000;
const pruneMs = 3_600_000;

export function createRunRunner(tools: RunnerTools): RunRunner {
  const { store, jobs, changes, log } = tools;
  const { recipes, clock } = store;
  /** What another node moves is not told here. */
  const rareMs = store.shared ? pollMs.shared : lookMs;
  const running = new Map<string, { readonly ended: Promise<void>; again: boolean; wake(): void }>();
  const waiters = new Map<string, Set<() => void>>();
  let stopping = new AbortController();
  /** Loaded with the first run. */
  const nextOf = async (run: StoredRun): Promise<Next> => {
    made ??= import("./steps.ts").then(({ createSteps }) => createSteps(tools, () => stopping.signal));
    return (await made).nextOf(run);
  };
  let made: Promise<{ nextOf(run: StoredRun): Promise<Next> }> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let pruner: ReturnType<typeof setInterval> | undefined;

  function begin(id: string): void {
    if (stopping.signal.aborted) return;
    const busy = running.get(id);
    if (busy !== undefined) {
      busy.again = true;
      busy.wake();
      return;
    }
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const one = { ended, again: false, wake: () => {} };
    running.set(id, one);
    void drive(id, one).finally(() => {
      running.delete(id);
      resolve();
      for (const told of waiters.get(id) ?? []) told();
      if (one.again) begin(id);
    });
  }

  async function drive(id: string, one: { again: boolean; wake(): void }): Promise<void> {
    let waitMs: number = againMs.first;
    const later = async (signal: AbortSignal) => {
      await pause(waitMs, signal);
      waitMs = Math.min(2 * waitMs, againMs.last);
    };
    while (!stopping.signal.aborted) {
      const woken = new AbortController();
      const signal = AbortSignal.any([stopping.signal, woken.signal]);
      one.again = false;
      one.wake = () => woken.abort();
      try {
        if (!tools.isReady()) {
          await pause(againMs.first, signal);
          continue;
        }
        const run = await recipes.run(id);
        if (run === undefined || run.endedAt !== null) return;
        const next = await nextOf(run);
        if (next === "later") {
          await later(signal);
          continue;
        }
        waitMs = againMs.first;
        if ("change" in next) await changes.waitFor(next.change.id, next.change.state, rareMs, signal);
        else if ("at" in next) await pause(Math.min(lookMs, next.at - clock.wall()), signal);
        else if ("bulk" in next) await jobs.waitForBulk(next.bulk, lookMs, signal);
        else {
          await recipes.moveRun(run, next.move);
          if (next.move.ends)
            log.info("recipe.ended", { run: id, recipe: run.recipe, state: next.move.state });
        }
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.warn("recipe.failed", { run: id, reason: messageOf(error) });
        await later(signal);
      }
    }
  }

  async function lookAtOpen(): Promise<void> {
    try {
      for (const { id } of await recipes.openRuns()) if (!running.has(id)) begin(id);
    } catch (error) {
      log.warn("recipe.failed", { reason: messageOf(error) });
    }
  }

  async function prune(): Promise<void> {
    try {
      while ((await recipes.pruneRuns()) > 0 && !stopping.signal.aborted);
    } catch (error) {
      log.warn("recipe.not_pruned", { reason: messageOf(error) });
    }
  }

  return {
    start() {
      stopping = new AbortController();
      void lookAtOpen();
      void prune();
      timer = setInterval(lookAtOpen, rareMs);
      pruner = setInterval(prune, pruneMs);
    },
    begin,
    async waitFor(id, forMs, signal) {
      const until = performance.now() + forMs;
      const told = Promise.withResolvers<void>();
      const known = waiters.get(id) ?? new Set();
      waiters.set(id, known.add(told.resolve));
      try {
        while (!signal.aborted && !stopping.signal.aborted) {
          const run = await recipes.run(id);
          const left = until - performance.now();
          if (run === undefined || run.endedAt !== null || left <= 0) return;
          // Another node may drive it.
          const mostMs = running.has(id) ? left : Math.min(left, pollMs.waiting);
          await Promise.race([told.promise, pause(mostMs, signal)]);
          if (!running.has(id) && (await recipes.run(id))?.endedAt === null) begin(id);
        }
      } finally {
        known.delete(told.resolve);
        if (known.size === 0) waiters.delete(id);
      }
    },
    async stop() {
      stopping.abort();
      clearInterval(timer);
      clearInterval(pruner);
      // Another node, or the next start, goes on.
      await Promise.race([Promise.all([...running.values()].map(({ ended }) => ended)), pause(stopMs)]);
    },
  };
}
