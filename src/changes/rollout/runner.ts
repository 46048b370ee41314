/**
 * Moves changes on. What comes next is decided from the store alone; each move begins at the step that was read, and the
 * bulk of a phase is unique, so nodes may do this side by side and a killed one is replaced by any other.
 */

import { mayRunRecipe } from "../../api/access/recipe-right.ts";
import { type TargetCounts, workingChanges } from "../../api/changes/change.ts";
import { ownerOfChange } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { performerOf } from "../../auth/rights.ts";
import { messageOf, ServiceError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { createFairSemaphore } from "../../base/share/fair-semaphore.ts";
import { pause } from "../../base/time/deadline.ts";
import type { Returns } from "../../history/port.ts";
import type { Inventory } from "../../inventory/port.ts";
import type { ChangeJobs, GateJobs, Jobs } from "../../jobs/port.ts";
import type { At, ChangeMove, MovingChange, NodeFence, Store, StoredChange } from "../../store/port.ts";
import { createGateJudge } from "../gates/gates.ts";
import { judgingOf } from "../gates/judging.ts";
import { devicesOf } from "../labels.ts";
import { readPlan, type StoredPlan } from "../planning/plan.ts";
import { createPlanning, type PlanningTools } from "../planning/planning.ts";
import type { ChangeOwner } from "../reach.ts";
import { afterBulk, canReturn, createTargetReading, noCounts, partOf, returning } from "../targets.ts";
import { createClaims } from "./claims.ts";
import { createExtending } from "./extending.ts";
import {
  type ChangeAction,
  type ChangeFacts,
  type ChangeRules,
  nextAction,
  type PhaseWork,
} from "./model.ts";
import { openOf } from "./open.ts";
import { createSettling } from "./settle.ts";
import { createSubmission } from "./submit.ts";
import { createTimer } from "./timer.ts";

export interface RunnerTools extends Pick<PlanningTools, "driver" | "platform" | "fixes" | "rehearse"> {
  readonly store: Pick<Store, "changes" | "jobs" | "history" | "nodes" | "clock" | "shared">;
  readonly jobs: Pick<Jobs, "render" | "cancelBulk"> & ChangeJobs & Pick<GateJobs, "askQuestion">;
  readonly returns: Returns;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly log: Log;
  /** A change may have been moved on here. */
  onMoved(): void;
  /** Whether this node takes work now. */
  isReady(): boolean;
  /** Of this node; undefined: it has none. */
  lease(): NodeFence | undefined;
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

const least = { soonMs: 50 };
const most = { soonMs: 1_000 };
/** After a look, so many times as long is waited for the next one that ends of jobs ask for. */
const restShare = 5;
const againMs = 2_000;
/** While something is open: ends on other nodes are not announced here. */
const pollMs = { own: 15_000, shared: 2_000 } as const;
const idleMs = 10_000;
/** Changes of this node. */
const changesAtOnce = 8;
const plansAtOnce = 2;
/** Moves of one change in a row, so that others get their turn. */
const movesAtOnce = 30;
const stopMs = 3_000;
const itself: Caller = { keyId: "changes", name: "patchbay", scope: "admin", hosts: [], from: null };

export function createChangeRunner(given: RunnerTools): ChangeRunner {
  const tools = {
    ...given,
    async ownerOf({ holder, recipe }: ChangeOwner) {
      const owner = await given.ownerOf(holder);
      if (owner === undefined) return undefined;
      return recipe !== null && mayRunRecipe(owner, recipe) ? performerOf(owner) : ownerOfChange(owner);
    },
  };
  const { store, jobs, log } = tools;
  const { changes } = store;
  const reading = createTargetReading(store);
  const { targetsOf } = reading;
  const settling = createSettling({ ...tools, reading });
  const extending = createExtending({ ...tools, reading });
  const submit = createSubmission({ ...tools, reading });
  const claims = createClaims(tools);
  const gates = createGateJudge({ ...tools, reading, claims, onSaid: wake });
  const planNow = createPlanning({ ...tools, claims });
  const turns = createFairSemaphore({ atOnce: changesAtOnce, perKey: changesAtOnce });
  /** Plans take long: they keep no other change waiting. */
  const plans = createFairSemaphore({ atOnce: plansAtOnce, perKey: plansAtOnce });
  const timer = createTimer(wake);
  let looking: Promise<void> | undefined;
  let isRequested = false;
  let stopped = true;
  let stopping = new AbortController();
  /** Several ends are one look, and looks take a fraction of the time. */
  let soonMs = least.soonMs;
  /** Changes that are looked at now, by id. */
  const working = new Map<string, { readonly ended: Promise<void>; again: boolean }>();
  const reads = new Map<string, ChangeReading>();
  /** Who waits for the plan of a change. */
  const plannings = new Map<string, Set<() => void>>();
  /** Bulks whose ends matter here. */
  const openBulks = new Set<string>();

  function wake(): void {
    if (stopped) return;
    isRequested = true;
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }

  async function look(): Promise<void> {
    while (isRequested && !stopped) {
      isRequested = false;
      timer.clear();
      try {
        if (tools.isReady()) await lookOnce();
        else timer.within(againMs);
      } catch (error) {
        timer.within(againMs);
        log.warn("changes.failed", { reason: messageOf(error) });
      }
    }
  }

  async function lookOnce(): Promise<void> {
    const now = store.clock.wall();
    const active = await changes.active(now);
    const ids = new Set(active.changes.map(({ id }) => id));
    for (const id of reads.keys()) if (!ids.has(id) && !working.has(id)) forget(id);
    for (const at of active.changes) begin(at);
    if (active.nextExpiry !== undefined) timer.within(active.nextExpiry - now);
    if (active.changes.length > 0) timer.within(store.shared ? pollMs.shared : pollMs.own);
    else if (store.shared) timer.within(idleMs);
  }

  function forget(id: string): void {
    const { memory } = reads.get(id) ?? {};
    if (memory !== undefined) {
      watch(memory, "phase", undefined);
      watch(memory, "extending", undefined);
    }
    reads.delete(id);
  }

  /** One change does not wait for another. */
  function begin(at: MovingChange): void {
    const busy = working.get(at.id);
    if (busy !== undefined) {
      busy.again = true;
      return;
    }
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    working.set(at.id, { ended, again: false });
    void goOn(at)
      .then((until) => timer.within(until - store.clock.wall()))
      .finally(() => {
        const again = working.get(at.id)?.again ?? false;
        working.delete(at.id);
        resolve();
        if (again) timer.within(soonMs);
      });
  }

  /** @returns when to look again, in ms since 1970 */
  async function goOn(at: MovingChange): Promise<number> {
    const kind = at.state === "planning" ? plans : turns;
    try {
      return await kind.run("", stopping.signal, async () => {
        const from = performance.now();
        const until = await advance(at);
        const tookMs = (performance.now() - from) * restShare;
        if (kind === turns) soonMs = Math.min(most.soonMs, Math.max(least.soonMs, tookMs));
        return until;
      });
    } catch (error) {
      forget(at.id);
      // One that cannot go on does not stop the others.
      if (!stopped) log.warn("change.not_moved", { change: at.id, reason: messageOf(error) });
      return store.clock.wall() + againMs;
    }
  }

  async function advance(first: At): Promise<number> {
    const { id } = first;
    let step: number | undefined = first.step;
    for (let moves = 0; moves < movesAtOnce && !stopped; moves++) {
      const read = await readingOf(id, step);
      if (read === undefined || read.change.endedAt !== null) return Number.POSITIVE_INFINITY;
      const { change, plan } = read;
      if (read.idleUntil !== undefined && read.idleUntil > store.clock.wall()) return read.idleUntil;
      const found = await bulkOf(read);
      if (await noteFailures(read, found)) {
        step = undefined;
        continue;
      }
      const facts = await factsOf(read, found.work);
      const action = nextAction(facts, plan?.rules ?? noRules, change.expiresAt);
      if (action.do === "wait") {
        const until = action.until ?? Number.POSITIVE_INFINITY;
        if (found.work !== "open" && facts.open.extending !== "open") read.idleUntil = until;
        return until;
      }
      const again = await perform(action, read, found.bulkId);
      tools.onMoved();
      if (again !== undefined) return again;
      step = undefined;
    }
    return store.clock.wall();
  }

  function watch({ open }: ChangeMemory, kind: keyof ChangeMemory["open"], bulkId: string | undefined): void {
    const before = open[kind];
    if (before !== undefined) openBulks.delete(before);
    open[kind] = bulkId;
    if (bulkId !== undefined) openBulks.add(bulkId);
  }

  /** All that is stored of a change differs only with its step. */
  async function readingOf(id: string, step: number | undefined): Promise<ChangeReading | undefined> {
    const known = reads.get(id);
    if (known !== undefined && known.change.step === step) return known;
    const change = await changes.stateOf(id);
    if (change === undefined) return undefined;
    const plan =
      known !== undefined && known.change.hash === change.hash && change.hash !== null
        ? known.plan
        : readPlan(change.plan);
    const memory = known?.memory ?? { bulkId: undefined, failed: 0, jobs: new Set(), open: {} };
    const read: ChangeReading = { change: { ...change, plan: null }, plan, memory };
    reads.set(id, read);
    return read;
  }

  async function bulkOf({ change, memory }: ChangeReading): Promise<FoundBulk> {
    const { id, phase } = change;
    const bulkId = phase === null ? undefined : await changes.bulkOf(id, partOf(change, phase));
    return progressOf(memory, "phase", bulkId);
  }

  async function progressOf(
    memory: ChangeMemory,
    kind: keyof ChangeMemory["open"],
    bulkId: string | undefined,
  ): Promise<FoundBulk> {
    // Before its jobs are read: one may end meanwhile.
    watch(memory, kind, bulkId);
    if (bulkId === undefined) return { work: "none", failed: 0 };
    const { unfinished, failed } = await store.jobs.progressOf(bulkId);
    if (unfinished === 0) watch(memory, kind, undefined);
    return { work: unfinished > 0 ? "open" : "ended", bulkId, failed };
  }

  async function factsOf(read: ChangeReading, work: PhaseWork): Promise<ChangeFacts> {
    const { change, plan } = read;
    const { id, state, phase, wave } = change;
    const [inWave, inAll] = [noCounts(), noCounts()];
    if (workingChanges.includes(state)) read.counts ??= await changes.counts(id);
    for (const { wave: of, state: targetState, count } of read.counts ?? []) {
      inAll[targetState] += count;
      if (of === wave) inWave[targetState] += count;
    }
    const returnable =
      state === "stopping" && work !== "open" && plan !== undefined
        ? (await targetsOf(id, {})).filter((target) => canReturn(target, plan)).length
        : 0;
    return {
      ...{ state, phase, wave, work, inWave, inAll, returnable },
      dueAt: await claims.dueAt(change),
      open: await openPushes(read, inAll),
      isClaimed: change.claimedBy !== null,
      waves: plan?.waves.length ?? 0,
      verdict: judgingOf(change).said,
      now: store.clock.wall(),
    };
  }

  async function openPushes(read: ChangeReading, inAll: TargetCounts): Promise<ChangeFacts["open"]> {
    const { change, plan, memory } = read;
    if (plan?.hold === undefined || inAll.unconfirmed + inAll.unknown === 0) return noneOpen;
    if (read.open === undefined) {
      const targets = await targetsOf(change.id, { states: ["unconfirmed", "unknown"] });
      const open = targets.flatMap((target) => openOf(target) ?? []);
      read.open = {
        count: open.length,
        endsBy: open.reduce((latest, { endsBy }) => Math.max(latest, endsBy), 0),
        extendAt: open.reduce((first, { extendAt }) => Math.min(first, extendAt ?? first), Infinity),
        part: open.find(({ asked }) => asked !== undefined)?.asked?.part,
      };
    }
    const { count, endsBy, extendAt, part } = read.open;
    const bulkId = part === undefined ? undefined : await changes.bulkOf(change.id, part);
    const { work } = await progressOf(memory, "extending", bulkId);
    read.extensionId = bulkId;
    // Asked for by a node that ended before it could submit the bulk.
    const dueAt = part !== undefined && bulkId === undefined ? 0 : extendAt;
    return { count, endsBy, extending: work, extendAt: dueAt === Infinity ? null : dueAt };
  }

  /** @returns when to look again; undefined: it was moved, here or elsewhere */
  async function perform(
    action: Exclude<ChangeAction, { do: "wait" }>,
    { change, plan, open, extensionId }: ChangeReading,
    bulkId: string | undefined,
  ): Promise<number | undefined> {
    const now = store.clock.wall();
    const to = (move: ChangeMove, what: string, detail?: string) =>
      changes.move(change, move, { what, detail, by: null }).then(() => undefined);
    switch (action.do) {
      case "plan":
        await withRequest(change, planNow);
        for (const tell of plannings.get(change.id) ?? []) tell();
        return undefined;
      case "expire":
        return to({ state: "expired", reason: "it did not start in time", endedAt: now }, "expired");
      case "pause":
        return to({ state: "paused", phase: action.phase, reason: action.reason }, "paused", action.reason);
      case "soak":
        return to({ dueAt: now + (plan?.rules.soakMs ?? 0) }, "soaking");
      case "judge":
        if (plan !== undefined) await withRequest(change, (whole) => gates.judge(whole, plan));
        return undefined;
      case "nextWave":
        return to(
          { wave: change.wave + 1, phase: "reading", dueAt: null, reason: null },
          "wave",
          `${change.wave + 1} of ${plan?.waves.length ?? 0}`,
        );
      case "stop":
        await changes.move(
          change,
          { state: "stopping", reason: action.reason, stopsBulks: true },
          { what: "stopped", detail: action.reason, by: null, cause: action.cause },
        );
        return undefined;
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
      case "extend":
        await withRequest(change, extending.begin);
        return undefined;
      case "settleExtension":
        await extending.settle(change, extensionId ?? "", open?.part ?? "");
        return undefined;
      case "cancelExtension":
        if (extensionId !== undefined) await jobs.cancelBulk(extensionId, false, itself);
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
          { targets: await settling.settled(change, bulkId ?? "", plan), ...afterBulk(change, action.phase) },
          change.sliceTo === null ? action.phase : "bulk_ended",
        );
      case "submit":
        await withRequest(change, (whole) => submit(whole, plan));
        return undefined;
    }
  }

  async function withRequest(at: At, act: (change: StoredChange) => Promise<void>): Promise<void> {
    const change = await changes.find(at.id);
    if (change?.step === at.step) await act(change);
  }

  /** Failures count while the others of the wave still run. */
  async function noteFailures(
    { change, plan, memory }: ChangeReading,
    { bulkId, failed }: FoundBulk,
  ): Promise<boolean> {
    if (change.phase !== "pushing" || change.state === "returning" || bulkId === undefined) return false;
    if (memory.bulkId !== bulkId) Object.assign(memory, { bulkId, failed: 0, jobs: new Set() });
    if (failed === memory.failed) return false;
    const known = new Set(memory.jobs);
    const targets = await settling.failures({ change, plan }, bulkId, known);
    if (targets.length > 0) {
      const detail = `${devicesOf(targets.length)} of wave ${change.wave}: ${targets[0]?.reason ?? ""}`;
      const isMoved = await changes.move(change, { targets }, { what: "failed", detail, by: null });
      if (isMoved !== true) return true;
    }
    Object.assign(memory, { failed, jobs: known });
    return targets.length > 0;
  }

  return {
    start() {
      stopped = false;
      stopping = new AbortController();
      wake();
    },
    wake,
    ended(bulkId) {
      if (!stopped && openBulks.has(bulkId)) timer.within(soonMs);
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
      gates.stop();
      timer.clear();
      stopping.abort(new ServiceError("Cancelled", "The service ends."));
      const all = Promise.all([looking, ...[...working.values()].map(({ ended }) => ended)]);
      await Promise.race([all, pause(stopMs)]);
      timer.clear();
    },
  };
}

/** What was read of a change at one step, and what follows from it. */
interface ChangeReading {
  /** Without request and plan. */
  readonly change: StoredChange;
  readonly plan: StoredPlan | undefined;
  readonly memory: ChangeMemory;
  counts?: Awaited<ReturnType<Store["changes"]["counts"]>>;
  /** Of pushes that wait in their devices, and the part of the change that starts their timers anew. */
  open?: {
    readonly count: number;
    readonly endsBy: number;
    readonly extendAt: number;
    readonly part: string | undefined;
  };
  extensionId?: string | undefined;
  /** Nothing is to be done at this step before then. */
  idleUntil?: number;
}

/** What this node knows of the jobs of a change. */
interface ChangeMemory {
  /** The bulk whose failures were noted, their number and their jobs. */
  bulkId: string | undefined;
  failed: number;
  jobs: ReadonlySet<string>;
  /** Bulks whose ends matter here. */
  open: { phase?: string | undefined; extending?: string | undefined };
}

interface FoundBulk {
  readonly work: PhaseWork;
  readonly bulkId?: string;
  readonly failed: number;
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
  holdsAll: false,
};
const noneOpen: ChangeFacts["open"] = { count: 0, endsBy: 0, extending: "none", extendAt: null };
