/**
 * Fires due schedules. A single timer waits for the next time; on a shared store a poll every few seconds finds changes
 * of other nodes and firings of dead ones. A poll is one small read.
 */

import { readSpec } from "../api/schedules/schedule.ts";
import { messageOf, ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import { pause } from "../base/time/deadline.ts";
import { yieldToEventLoop } from "../base/time/yield.ts";
import type { NodeFence, ScheduleStep, Store, StoredSchedule, TakenFiring } from "../store/port.ts";
import { doFiring, type FiringEnd, type FiringTools } from "./firing.ts";
import { planOf } from "./plan.ts";
import { keyIsGone } from "./record.ts";
import { timesOf } from "./times.ts";

export interface RunnerTools extends Omit<FiringTools, "store"> {
  readonly store: Pick<Store, "schedules" | "shared">;
  readonly log: Log;
  /** Undefined: this node must not take work now. */
  lease(): NodeFence | undefined;
  onFired(status: FiringEnd["status"] | "skipped"): void;
  /** A schedule was stopped because its key was revoked or has expired. */
  onStopped(): void;
}

export interface Runner {
  start(): void;
  /** Something changed: polls now. */
  wake(): void;
  stop(): Promise<void>;
}

const atOnce = 50;
const firingsAtOnce = 8;
/** Poll intervals: with open firings, and with none. */
const pauses = { open: 1_000, clock: 60_000 } as const;
/** Poll interval on a shared store: other nodes fire what was changed there, unless they died. */
const shared = { leastMs: 5_000, maxMs: 10_000, factor: 1.5 } as const;
const againMs = 1_000;
const latestAgainMs = 60_000;
const stopMs = 2_000;

export function createRunner(tools: RunnerTools): Runner {
  const { store, log } = tools;
  const running = new Map<string, Promise<void>>();
  /** Running firings that the poll does not wait for. */
  const slow = new Set<string>();
  /** The revision of each schedule that was reported as unreadable. */
  const loggedRevisions = createBoundedCache<number>(1_000);
  const later = new Map<string, { readonly at: number; readonly tries: number }>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let looking: Promise<void> | undefined;
  let isRequested = false;
  let sharedMs: number = shared.leastMs;
  /** The result of the last poll, without the delay. */
  let lastKey = "";
  let stopped = true;

  function wake(): void {
    if (stopped) return;
    isRequested = true;
    clearTimeout(timer);
    looking ??= lookOn().finally(() => {
      looking = undefined;
    });
  }

  async function lookOn(): Promise<void> {
    let inMs: number | undefined = againMs;
    while (isRequested && !stopped) {
      isRequested = false;
      try {
        inMs = await poll();
      } catch (error) {
        inMs = againMs;
        log.warn("schedules.failed", { reason: String(error) });
      }
    }
    if (!stopped && inMs !== undefined) timer = setTimeout(wake, Math.max(1, inMs));
  }

  /** @returns the time of the next poll; undefined: wait for a change. */
  async function poll(): Promise<number | undefined> {
    const lease = tools.lease();
    if (!lease) return againMs;
    const before = await store.schedules.look();
    if (before.inMs === 0) await fireDue(lease);
    const key = JSON.stringify([before.inMs === 0, before.inMs === undefined, before.open]);
    sharedMs = key === lastKey ? Math.min(shared.maxMs, sharedMs * shared.factor) : shared.leastMs;
    lastKey = key;
    const { inMs, open } = before.inMs === 0 ? await store.schedules.look() : before;
    if (open > 0) await takeOpen(lease);
    const least = [
      ...(inMs === undefined ? [] : [Math.max(inMs, inMs === 0 ? againMs : 1), pauses.clock]),
      ...(open > 0 ? [pauses.open] : []),
      ...(store.shared ? [sharedMs * (1 - Math.random() / 5)] : []),
    ];
    return least.length === 0 ? undefined : Math.min(...least);
  }

  async function fireDue(lease: NodeFence): Promise<void> {
    let previousNames = "";
    for (;;) {
      const { now, schedules } = await store.schedules.due(atOnce);
      const names = JSON.stringify(schedules.map(({ id, revision, next }) => [id, revision, next]));
      // Nothing was taken: this clock is ahead, or the node has no lease.
      if (schedules.length === 0 || names === previousNames) return;
      previousNames = names;
      const steps: ScheduleStep[] = [];
      for (const schedule of schedules) {
        const step = await stepOf(schedule, now).catch((error) => unreadable(schedule, error));
        if (step) steps.push(step);
        await yieldToEventLoop();
      }
      for (const status of await store.schedules.step(lease, steps))
        if (status === "missed" || status === "skipped") tools.onFired(status);
      await takeOpen(lease);
    }
  }

  /** A schedule of another version, or with an unknown time zone, must not block others. */
  function unreadable({ id, revision }: StoredSchedule, error: unknown): undefined {
    // The store does not answer: not a fault of the schedule.
    if (error instanceof ServiceError) throw error;
    // It stays due, so log it only once per revision.
    if (loggedRevisions.get(id) === revision) return;
    loggedRevisions.set(id, revision);
    log.warn("schedule.unreadable", { schedule: id, reason: messageOf(error) });
  }

  async function stepOf(schedule: StoredSchedule, now: number): Promise<ScheduleStep | undefined> {
    const { id, revision, next: pending, owner } = schedule;
    if (pending === undefined) return undefined;
    if ((await tools.ownerOf(owner)) === undefined) {
      const by = { keyId: owner, name: "schedule", from: null };
      if (await store.schedules.stop(id, revision, keyIsGone, by)) tools.onStopped();
      return undefined;
    }
    const spec = readSpec(schedule.spec);
    const times = timesOf(id, spec, schedule.anchor);
    // The clock was set back far: continue from the current time, without firing again.
    if (pending.fireAt > now) return { id, revision, pending, firings: [], next: times.after(now) };
    const { firings, next } = planOf(times, pending, now, spec);
    return { id, revision, pending, firings, next };
  }

  async function takeOpen(lease: NodeFence): Promise<void> {
    const now = performance.now();
    const putOff = [...later].flatMap(([key, { at }]) => (at > now ? [key] : []));
    const but = [...running.keys(), ...putOff];
    for (const firing of await store.schedules.take(lease, atOnce, { but })) {
      const key = `${firing.scheduleId}/${firing.dueAt}`;
      if (running.has(key)) continue;
      if (isSlow(firing)) {
        if (slow.size >= firingsAtOnce) continue;
        slow.add(key);
      } else while (running.size - slow.size >= firingsAtOnce) await Promise.race(running.values());
      if (stopped) return;
      running.set(key, run(key, firing, lease));
    }
  }

  async function run(key: string, firing: TakenFiring, lease: NodeFence): Promise<void> {
    try {
      const status = await doFiring(firing, lease, tools);
      if (status === undefined) putOff(key);
      else {
        later.delete(key);
        tools.onFired(status);
        log.info("schedule.fired", { schedule: firing.scheduleId, due: firing.dueAt, status });
      }
    } catch (error) {
      putOff(key);
      log.warn("schedule.not_fired", { schedule: firing.scheduleId, reason: String(error) });
    } finally {
      running.delete(key);
      slow.delete(key);
      // Firings that waited for this one may start.
      wake();
    }
  }

  function putOff(key: string): void {
    const tries = (later.get(key)?.tries ?? 0) + 1;
    if (later.size > 10_000) later.clear();
    later.set(key, {
      at: performance.now() + Math.min(latestAgainMs, againMs * 2 ** Math.min(tries, 6)),
      tries,
    });
  }

  return {
    start() {
      stopped = false;
      wake();
    },
    wake,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      // Another node, or the next start, finishes what takes longer.
      await Promise.race([Promise.all([looking, ...running.values()]), pause(stopMs)]);
    },
  };
}

/** Waits for other systems, which may take minutes. */
function isSlow({ spec }: TakenFiring): boolean {
  try {
    return readSpec(spec).what.kind === "sync";
  } catch {
    // Reported when done.
    return false;
  }
}
