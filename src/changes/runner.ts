/**
 * Moves changes on. What comes next is decided from the store alone; each move begins at the step that was read, and the
 * bulk of a phase is unique, so nodes may do this side by side and a killed one is replaced by any other.
 */
import type { Caller } from "../auth/port.ts";
import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { pause } from "../base/time/deadline.ts";
import type { Returns } from "../history/port.ts";
import type { Inventory } from "../inventory/port.ts";
import type { ChangeJobs, Jobs } from "../jobs/port.ts";
import { type ChangeMove, changeParts, type Store, type StoredChange } from "../store/port.ts";
import { judgingOf, writeJudging } from "./judging.ts";
import {
  type ChangeAction,
  type ChangeFacts,
  type ChangeRules,
  nextAction,
  type PhaseWork,
} from "./model.ts";
import { readPlan, type StoredPlan } from "./plan.ts";
import { createPlanning } from "./planning.ts";
import { createSettling } from "./settle.ts";
import { createSubmission } from "./submit.ts";
import { afterBulk, canReturn, createTargetReading, noCounts, partOf, returning } from "./targets.ts";

export interface RunnerTools {
  readonly store: Pick<Store, "changes" | "jobs" | "clock" | "shared">;
  readonly jobs: Pick<Jobs, "render" | "cancelBulk"> & ChangeJobs;
  readonly returns: Returns;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly log: Log;
  /** A change may have been moved on here. */
  onMoved(): void;
  /** Whether this node takes work now. */
  isReady(): boolean;
  /** The author with the rights of today; undefined: they have none any more. */
  ownerOf(id: string): Promise<Caller | undefined>;
}

export interface ChangeRunner {
  start(): void;
  /** A change was moved. */
  wake(): void;
  /** A job of a bulk has ended. */
  ended(bulkId: string): void;
  /** Waits until this node has planned the change, or tried to, or for the time. */
  planned(id: string, forMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Several ends are one look. */
const soonMs = 50;
const againMs = 2_000;
/** While something is open: ends on other nodes are not announced here. */
const pollMs = { own: 15_000, shared: 2_000 } as const;
/** Moves of one change in a row, so that others get their turn. */
const movesAtOnce = 30;
const stopMs = 3_000;
const itself: Caller = { keyId: "changes", name: "patchbay", scope: "admin", hosts: [], from: null };

export function createChangeRunner(tools: RunnerTools): ChangeRunner {
  const { store, jobs, log } = tools;
  const { changes } = store;
  const reading = createTargetReading(store);
  const { targetsOf } = reading;
  const settling = createSettling({ ...tools, reading });
  const submit = createSubmission({ ...tools, reading });
  const planNow = createPlanning(tools);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let looking: Promise<void> | undefined;
  let isRequested = false;
  let stopped = true;
  /** Who waits for the plan of a change. */
  const plannings = new Map<string, Set<() => void>>();
  /** Bulks whose ends matter here. */
  let openBulks = new Set<string>();

  function wake(): void {
    if (stopped) return;
    isRequested = true;
    clearTimeout(timer);
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }

  async function look(): Promise<void> {
    let inMs: number | undefined;
    while (isRequested && !stopped) {
      isRequested = false;
      try {
        inMs = tools.isReady() ? await lookOnce() : againMs;
      } catch (error) {
        inMs = againMs;
        log.warn("changes.failed", { reason: messageOf(error) });
      }
    }
    if (!stopped && inMs !== undefined) timer = setTimeout(wake, Math.max(20, inMs));
  }

  /** @returns when to look again, in ms */
  async function lookOnce(): Promise<number | undefined> {
    const active = await changes.active();
    openBulks = new Set();
    let until = Number.POSITIVE_INFINITY;
    for (const change of active) {
      if (stopped) return undefined;
      try {
        until = Math.min(until, await advance(change));
      } catch (error) {
        // One that cannot go on does not stop the others.
        until = Math.min(until, store.clock.wall() + againMs);
        log.warn("change.not_moved", { change: change.id, reason: messageOf(error) });
      }
    }
    const poll = active.length === 0 ? Number.POSITIVE_INFINITY : store.shared ? pollMs.shared : pollMs.own;
    const least = Math.min(
      until - store.clock.wall(),
      poll,
      store.shared ? 10_000 : Number.POSITIVE_INFINITY,
    );
    return Number.isFinite(least) ? least : undefined;
  }

  /** @returns when to look again, in ms since 1970 */
  async function advance(first: StoredChange): Promise<number> {
    let change: StoredChange | undefined = first;
    for (let moves = 0; moves < movesAtOnce && change !== undefined && change.endedAt === null; moves++) {
      const plan = readPlan(change.plan);
      const found = await bulkOf(change);
      if (change.phase === "pushing" && found.bulkId !== undefined && change.state !== "returning")
        if (await noteFailures(change, found.bulkId)) {
          change = await changes.find(change.id);
          continue;
        }
      const facts = await factsOf(change, plan, found.work);
      const action = nextAction(facts, plan?.rules ?? noRules, change.expiresAt);
      if (action.do === "wait") return action.until ?? Number.POSITIVE_INFINITY;
      const again = await perform(action, change, plan, found.bulkId);
      tools.onMoved();
      if (again !== undefined) return again;
      change = await changes.find(change.id);
    }
    return store.clock.wall();
  }

  async function bulkOf(change: StoredChange): Promise<{ work: PhaseWork; bulkId?: string }> {
    const { phase } = change;
    if (phase === null) return { work: "none" };
    const part = partOf(change, phase);
    const found = (await changes.bulks(change.id)).find((bulk) => changeParts.write(bulk) === part);
    if (found === undefined) return { work: "none" };
    // Before its jobs are read: one may end meanwhile.
    openBulks.add(found.bulkId);
    const left = await store.jobs.unfinishedOf(found.bulkId);
    return { work: left > 0 ? "open" : "ended", bulkId: found.bulkId };
  }

  async function factsOf(
    change: StoredChange,
    plan: StoredPlan | undefined,
    work: PhaseWork,
  ): Promise<ChangeFacts> {
    const { id, state, phase, wave, dueAt } = change;
    const [inWave, inAll] = [noCounts(), noCounts()];
    for (const { wave: of, state: targetState, count } of await changes.counts(id)) {
      inAll[targetState] += count;
      if (of === wave) inWave[targetState] += count;
    }
    const returnable =
      state === "stopping" && plan !== undefined
        ? (await targetsOf(id, {})).filter((target) => canReturn(target, plan)).length
        : 0;
    return {
      ...{ state, phase, wave, dueAt, work, inWave, inAll, returnable },
      waves: plan?.waves.length ?? 0,
      verdict: judgingOf(change).verdict,
      now: store.clock.wall(),
    };
  }

  /** @returns when to look again; undefined: it was moved, here or elsewhere */
  async function perform(
    action: Exclude<ChangeAction, { do: "wait" }>,
    change: StoredChange,
    plan: StoredPlan | undefined,
    bulkId: string | undefined,
  ): Promise<number | undefined> {
    const now = store.clock.wall();
    const to = (move: ChangeMove, what: string, detail?: string) =>
      changes.move(change, move, { what, detail, by: null }).then(() => undefined);
    switch (action.do) {
      case "plan":
        await planNow(change);
        for (const tell of plannings.get(change.id) ?? []) tell();
        return undefined;
      case "expire":
        return to({ state: "expired", reason: "it did not start in time", endedAt: now }, "expired");
      case "pause":
        return to({ state: "paused", phase: action.phase, reason: action.reason }, "paused", action.reason);
      case "soak":
        return to({ dueAt: now + (plan?.rules.soakMs ?? 0) }, "soaking");
      case "judge":
        return to(
          { judging: writeJudging({ ...judgingOf(change), verdict: { is: "passed", reason: "" } }) },
          "judged",
        );
      case "nextWave":
        return to(
          { wave: change.wave + 1, phase: "reading", dueAt: null, reason: null },
          "wave",
          `${change.wave + 1} of ${plan?.waves.length ?? 0}`,
        );
      case "stop":
        return to({ state: "stopping", reason: action.reason, stopsBulks: true }, "stopped", action.reason);
      case "end":
        return to(
          {
            ...{ state: action.state, endedAt: now, phase: null, dueAt: null },
            ...(action.reason ? { reason: action.reason } : {}),
            targets: await settling.neverBegun(change),
          },
          action.state,
          action.reason,
        );
      case "skip":
        return to({ phase: action.phase, dueAt: null }, action.phase);
      case "cancel":
        if (bulkId !== undefined) await jobs.cancelBulk(bulkId, false, itself);
        // Running jobs end by themselves.
        return now + againMs;
      case "beginReturn":
        return to(
          {
            ...returning(change),
            targets: [
              ...(await settling.neverBegun(change)),
              ...(await settling.returnTargets(change, plan)),
            ],
          },
          "returning",
          change.reason ?? undefined,
        );
      case "settle":
        return to(
          { targets: await settling.settled(change, bulkId ?? ""), ...afterBulk(change, action.phase) },
          change.sliceTo === null ? action.phase : "bulk_ended",
        );
      case "submit":
        await submit(change, plan);
        return undefined;
    }
  }

  /** Failures count while the others of the wave still run. */
  async function noteFailures(change: StoredChange, bulkId: string): Promise<boolean> {
    const targets = await settling.failures(change, bulkId);
    if (targets.length === 0) return false;
    const detail = `${targets.length} of wave ${change.wave}: ${targets[0]?.reason ?? ""}`;
    await changes.move(change, { targets }, { what: "failed", detail, by: null });
    return true;
  }

  return {
    start() {
      stopped = false;
      wake();
    },
    wake,
    ended(bulkId) {
      if (stopped || !openBulks.has(bulkId)) return;
      clearTimeout(timer);
      timer = setTimeout(wake, soonMs);
    },
    async planned(id, forMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiters = plannings.get(id) ?? new Set();
      plannings.set(id, waiters.add(resolve));
      await Promise.race([promise, pause(forMs)]);
      waiters.delete(resolve);
      if (waiters.size === 0) plannings.delete(id);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await Promise.race([looking, pause(stopMs)]);
    },
  };
}

const noLimit = { wave: null, total: null };
/** Before it is planned. */
const noRules: ChangeRules = {
  limits: { failed: noLimit, unreachable: noLimit, unknown: noLimit },
  soakMs: 0,
  judges: false,
  sentinels: false,
  asks: false,
  onStop: "keep",
};
