/**
 * Moves runs on, each by itself. What comes next follows from the store alone: a step is submitted under a key of its
 * own, so that a repeat after a crash, or by another node, gets the same bulk, and a move holds only from the one that
 * was read.
 */
import { recipeLimits } from "../api/recipes/recipe.ts";
import { shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { performerOf, requireRecipe } from "../auth/rights.ts";
import { messageOf, ServiceError } from "../base/errors.ts";
import { errorSentence } from "../base/issues.ts";
import type { Log } from "../base/log.ts";
import { createMasker } from "../base/secrets/mask.ts";
import { createDeadline, pause } from "../base/time/deadline.ts";
import type { RunChanges } from "../changes/port.ts";
import type { Jobs } from "../jobs/port.ts";
import type { Pool } from "../pool/port.ts";
import type { Store, StoredRun } from "../store/port.ts";
import { bodyOfStep } from "./body.ts";
import { createChangeSteps } from "./change-step.ts";
import { cancelled, ended, endOf, final, type Next, stepped, withoutOwner } from "./moves.ts";
import { secretNames } from "./parameters.ts";
import { type OpenedRun, openedRun, type StoredStep, secretsOfRun, shownParameters } from "./record.ts";

export interface RunnerTools {
  readonly store: Pick<Store, "recipes" | "clock" | "shared">;
  readonly jobs: Pick<
    Jobs,
    "bulk" | "submittedBulk" | "render" | "bulkResults" | "cancelBulk" | "waitForBulk" | "list"
  >;
  readonly changes: Omit<RunChanges, "check">;
  readonly pool: Pick<Pool, "run">;
  readonly log: Log;
  /** Whether this node takes work now. */
  isReady(): boolean;
  /** The caller with the rights of today; undefined: they have none any more. */
  ownerOf(id: string): Promise<Caller | undefined>;
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
export const expressionMs = 5_000;
/** On a shared store: runs of nodes that died, and ends that another node has seen. */
const pollMs = { shared: 10_000, waiting: 1_000 } as const;
/** Idempotency keys are kept for a day: of an older step it is not known whether it was submitted. */
const surelyOnceMs = 23 * 3_600_000;

const keyOfStep = ({ id }: Pick<StoredRun, "id">, at: number) => `recipe:${id}:${at}`;
/** How long a step is tried while the service cannot take it. */
const patienceMs = 3_600_000;
/** Results that an expression can look at. */
const most = { results: 1_000, chars: 1024 * 1024 } as const;
const stopMs = 2_000;
const pruneMs = 3_600_000;
const passing = new Set(["Unavailable", "TooManyRequests", "StorageFull", "InProgress", "ResourceExhausted"]);

export function createRunRunner(tools: RunnerTools): RunRunner {
  const { store, jobs, changes, log } = tools;
  const { recipes, clock } = store;
  const changeSteps = createChangeSteps({ changes, clock });
  /** What another node moves is not told here. */
  const rareMs = store.shared ? pollMs.shared : lookMs;
  const running = new Map<string, { readonly ended: Promise<void>; again: boolean; wake(): void }>();
  const waiters = new Map<string, Set<() => void>>();
  let stopping = new AbortController();
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

  async function nextOf(run: StoredRun): Promise<Next> {
    const opened = openedRun(run);
    if (opened === undefined) return { move: ended("failed", "its request cannot be opened: it is damaged") };
    const { steps } = opened;
    const owner = await tools.ownerOf(run.holder);
    if (owner === undefined) return { move: withoutOwner(steps, run, clock.wall()) };
    const at = steps.findIndex(({ state }) => !final.has(state));
    const step = steps[at];
    if (step === undefined) return { move: ended(endOf(steps, run)) };
    if (step.state === "running" && step.bulk_id !== null) return resultOf(run, opened, at, owner);
    if (step.state === "running" && step.change !== null) return changeSteps.look(run, opened, at, owner);
    if (run.state !== "cancelling") return begun(run, opened, at, owner);
    const unnoted = await begunUnnoted(run, opened, at, owner);
    return { move: unnoted ? stepped(steps, at, unnoted) : cancelled(steps, at) };
  }

  /** What a node drafted or submitted for the step that seems to wait, and died before it could say so. */
  async function begunUnnoted(
    run: StoredRun,
    opened: OpenedRun,
    at: number,
    owner: Caller,
  ): Promise<Partial<StoredStep> | undefined> {
    const { kind } = opened.request.recipe.steps[at] ?? {};
    if (kind === "change") return changeSteps.drafted(run, opened, at, owner);
    if (kind === "render") return undefined;
    const bulk_id = await jobs.submittedBulk(performerOf(owner), keyOfStep(run, at));
    return bulk_id === undefined ? undefined : { state: "running", bulk_id, started_at: clock.wall() };
  }

  async function begun(run: StoredRun, opened: OpenedRun, at: number, owner: Caller): Promise<Next> {
    const { request, steps } = opened;
    const step = request.recipe.steps[at];
    if (step === undefined) return { move: ended("failed", "its steps are damaged") };
    const started = { started_at: clock.wall() };
    const since = steps[at - 1]?.ended_at ?? run.createdAt;
    const stops = (reason: string): Next => ({
      move: stepped(
        steps,
        at,
        { ...started, state: "failed", reason, ended_at: clock.wall() },
        step.on_failure,
      ),
    });
    try {
      requireRecipe(owner, run.recipe);
      const { when } = step;
      if (when !== undefined && when !== null && (await isTrue(when, opened, owner)) !== true) {
        const reason = `its condition is not true: ${when}`;
        return { move: stepped(steps, at, { state: "skipped", reason, ended_at: clock.wall() }) };
      }
      const made = bodyOfStep(step, {
        values: request.parameters,
        devices: request.devices,
        tags: [`recipe:${run.recipe}`, `run:${run.id}`],
        label: `${run.recipe}: ${step.name}`,
        ticket: run.ticket,
        note: request.note,
        secrets: secretNames(request.recipe.parameters),
      });
      if ("message" in made) return stops(`${made.path}: ${made.message}`);
      const body = { text: JSON.stringify(made.request), value: made.request };
      const performer = performerOf(owner);
      if (step.kind === "render") {
        const { text } = await jobs.render(body, undefined, performer, stopping.signal);
        if (text.length > recipeLimits.textChars)
          return stops(`the text has more than ${recipeLimits.textChars / 1024} KiB`);
        const chars = steps.reduce((sum, one) => sum + (one.text?.length ?? 0), text.length);
        if (chars > recipeLimits.runTextChars)
          return stops(`the texts of the run have more than ${recipeLimits.runTextChars / 1024} KiB`);
        const shown = createMasker(secretsOfRun(request)).text(text);
        return {
          move: stepped(steps, at, { ...started, state: "finished", text: shown, ended_at: clock.wall() }),
        };
      }
      if (clock.wall() - since > surelyOnceMs)
        return stops("it was due a day ago, and may have been submitted then: nothing was sent again");
      const by = { ...performer, submitter: { kind: run.submitterKind, name: run.submitter } };
      if (step.kind === "change")
        return { move: stepped(steps, at, await changeSteps.begun(body, run, at, by)) };
      const { bulk_id } = await jobs.bulk(body, by, keyOfStep(run, at), stopping.signal);
      return { move: stepped(steps, at, { ...started, state: "running", bulk_id }) };
    } catch (error) {
      if (stopping.signal.aborted) return "later";
      const mayPass = !(error instanceof ServiceError) || passing.has(error.kind);
      if (mayPass && clock.wall() - since < patienceMs) return "later";
      return stops(errorSentence(error));
    }
  }

  async function resultOf(run: StoredRun, opened: OpenedRun, at: number, owner: Caller): Promise<Next> {
    const { steps, request } = opened;
    const bulk = steps[at]?.bulk_id ?? "";
    if (run.state === "cancelling") await withdraw(bulk, owner);
    const result = (await jobs.bulkResults([bulk])).get(bulk);
    const now = clock.wall();
    if (result === undefined) {
      const reason = "its bulk is stored no more: how it ended is not known";
      return { move: stepped(steps, at, { state: "failed", reason, ended_at: now }, "stop") };
    }
    if (result.status === "running") return { bulk };
    const { finished, failed, cancelled } = result.counts;
    const total = finished + failed + cancelled;
    const bad = failed + cancelled;
    const state = bad === 0 ? ("finished" as const) : ("failed" as const);
    const reason =
      bad === 0
        ? null
        : `${bad} of ${total} jobs have not finished: ${failed} failed, ${cancelled} were cancelled`;
    const counts = { total, finished, failed, cancelled };
    // What a cancel has ended says nothing of the run.
    const policy = run.state === "cancelling" ? "continue" : request.recipe.steps[at]?.on_failure;
    return { move: stepped(steps, at, { state, reason, counts, ended_at: now }, policy) };
  }

  async function withdraw(bulk: string, owner: Caller): Promise<void> {
    try {
      await jobs.cancelBulk(bulk, false, performerOf(owner));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "NotFound") throw error;
    }
  }

  async function isTrue(expression: string, opened: OpenedRun, owner: Caller): Promise<boolean> {
    const { request, steps } = opened;
    const shown: Record<string, unknown> = {};
    for (const { name, state, counts, text, bulk_id, change } of steps) {
      const results =
        bulk_id !== null && /\bresults\b/.test(expression)
          ? { results: await resultsOf(bulk_id, owner) }
          : {};
      shown[name] = { state, counts, text, change, ...results };
    }
    const json = JSON.stringify({
      parameters: shownParameters(request),
      devices: request.devices,
      steps: shown,
    });
    const late = () => new ServiceError("ReadTimeout", "The condition was still being computed.");
    const deadline = createDeadline(expressionMs, late);
    try {
      const share = { key: shareOf(owner), job: true };
      const evaluated = await tools.pool.run({ kind: "evaluate", expression, json }, { deadline, share });
      return evaluated.json === "true";
    } finally {
      deadline.dispose();
    }
  }

  async function resultsOf(bulkId: string, owner: Caller): Promise<unknown[]> {
    const results: unknown[] = [];
    let chars = 0;
    for await (const piece of jobs.list({ bulk_id: bulkId }, owner, {}))
      for (const { device, host, status, result } of piece) {
        const one = { device: device ?? host, status, result };
        chars += JSON.stringify(one).length;
        if (results.length >= most.results || chars > most.chars)
          throw new ServiceError(
            "BadRequest",
            "the condition looks at `results`, which are more than 1,000 or 1 MiB: use `counts`",
          );
        results.push(one);
      }
    return results;
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
