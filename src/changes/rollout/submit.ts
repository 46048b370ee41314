/** Submits the bulk of a phase: takes before and after, pushes, and the jobs that give devices back what they had. */
import type { ChangePhase, TargetState } from "../../api/changes/change.ts";
import type { Caller } from "../../auth/port.ts";
import { requireRight } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { errorSentence } from "../../base/issues.ts";
import type { Log } from "../../base/log.ts";
import type { Returns } from "../../history/port.ts";
import type { Inventory } from "../../inventory/port.ts";
import type { ChangeJobs, ChangeSubmission } from "../../jobs/port.ts";
import type { At, Store, StoredChange, StoredChangeTarget, TargetMove } from "../../store/port.ts";
import { restoringPush } from "../drafts/restoring-push.ts";
import { checksOfSentinel } from "../gates/sentinels.ts";
import { devicesOf, labelOf } from "../labels.ts";
import type { StoredPlan } from "../planning/plan.ts";
import { createPolicyCheck } from "../planning/policy-check.ts";
import { createLines } from "../planning/target-lines.ts";
import type { ChangeOwner } from "../reach.ts";
import { readRequest, unreadable } from "../request.ts";
import { afterBulk, isPassing, partOf, type TargetReading, whyNotHeld, withoutAbsent } from "../targets.ts";
import { confirmTtl, openOf, wordTtl } from "./open.ts";

export interface SubmissionTools {
  readonly store: Pick<Store, "changes" | "jobs" | "history" | "clock">;
  readonly jobs: ChangeJobs;
  readonly returns: Returns;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly reading: TargetReading;
  readonly log: Log;
  /** The author with the rights of today; undefined: they have none any more. */
  ownerOf(of: ChangeOwner): Promise<Caller | undefined>;
}

const returningOnly = ["returning"] as const;

/** Which devices a phase reads, and what follows if there are none. */
const readings = {
  reading: { states: ["waiting"], next: "pushing" },
  left: { states: ["pushed", "unconfirmed"], next: "soaking" },
  proving: { states: ["unconfirmed", "unknown"], next: "confirming" },
} as const satisfies Partial<Record<ChangePhase, { states: readonly TargetState[]; next: ChangePhase }>>;

type PushedDevice = Extract<ChangeSubmission["work"], { kind: "push" }>["devices"][number];

export function createSubmission(tools: SubmissionTools) {
  const { store, jobs, returns, inventory, log, ownerOf } = tools;
  const { changes, clock } = store;
  const { slicedTargets } = tools.reading;
  const objectionTo = createPolicyCheck(tools);

  async function submit(change: StoredChange, plan: StoredPlan | undefined): Promise<void> {
    const { id, phase, state } = change;
    const owner = await ownerOf(change);
    if (plan === undefined || phase === null) return;
    if (owner === undefined) {
      const reason = `${change.submitter} has no rights any more: nothing was begun`;
      await changes.move(
        change,
        {
          state: state === "running" ? "paused" : "needs_person",
          reason,
          ...(state === "running" ? {} : { endedAt: clock.wall() }),
        },
        { what: "paused", detail: reason, by: null },
      );
      return;
    }
    const begins =
      state === "running" && phase === "reading" && change.wave === 1 && change.sliceFrom === null;
    const objection = begins ? await objectionTo(change, readRequest(change.request), plan) : undefined;
    if (objection !== undefined) {
      const reason = `${objection.why}: nothing was begun. Plan it again`;
      const to = { state: "expired", wave: 0, phase: null, startedAt: null, endedAt: clock.wall() } as const;
      await changes.move(change, { ...to, reason }, { what: "expired", detail: reason, by: null });
      return;
    }
    try {
      if (phase === "judging") await submitChecks(change, plan, owner);
      else if (phase === "confirming" || phase === "cancelling") await submitEnds(change, phase, owner);
      else if (phase !== "pushing") await submitReading(change, owner);
      else if (state === "returning") await submitReturn(change, plan, owner);
      else await submitPush(change, plan, owner);
    } catch (error) {
      if (error instanceof ServiceError && error.kind === "InUse") return;
      if (!(error instanceof ServiceError) || isPassing(error)) throw error;
      const reason = errorSentence(error);
      log.warn("change.not_submitted", { change: id, reason });
      // What cannot be cancelled comes back by itself.
      if (phase === "cancelling") await goOn(change, "proving");
      else if (state !== "running")
        await changes.move(
          change,
          { state: "needs_person", reason, endedAt: clock.wall() },
          { what: "needs_person", detail: reason, by: null },
        );
      else
        await changes.move(
          change,
          { state: "stopping", reason, stopsBulks: true },
          { what: "stopped", detail: reason, by: null },
        );
    }
    return;
  }

  async function submitReading(change: StoredChange, owner: Caller): Promise<void> {
    const { state } = change;
    const phase = change.phase === "reading" || change.phase === "proving" ? change.phase : "left";
    const isReturn = state === "returning";
    const { states, next } = isReturn ? { ...readings.left, states: returningOnly } : readings[phase];
    const all = (await slicedTargets(change, states)).filter(
      ({ beforeVersion, open }) => beforeVersion !== null && (phase !== "proving" || open !== null),
    );
    if (all.length === 0) return goOn(change, phase === "reading" ? "pushing" : next);
    const label = labelOf(isReturn ? `return.${phase}` : phase, change.name);
    const hasRoom = await jobs.changeRoom({ label });
    const targets = firstOf(all, ({ device }) => hasRoom(device, 0));
    const at = await cut(change, targets, all.length);
    if (at === undefined) return;
    const note = `change ${change.name}`;
    await jobs.changeBulk(
      {
        ...{ ...at, part: partOf(change, phase) },
        work: {
          kind: "take",
          label,
          devices: targets.map(({ device }) => device),
          reason: {
            source: phase === "reading" && !isReturn ? "manual" : "push",
            causeJobId: undefined,
            who: change.submitter,
            note,
          },
        },
      },
      owner,
    );
  }

  async function submitChecks(change: StoredChange, plan: StoredPlan, owner: Caller): Promise<void> {
    const { id, step } = change;
    const request = readRequest(change.request);
    if (request === undefined) throw new ServiceError("BadRequest", unreadable);
    const snapshot = await inventory.snapshot();
    const moved = plan.sentinels.find(({ device, host }) => snapshot.device(device)?.host !== host);
    if (moved !== undefined) {
      const reason = `the inventory has another address for the sentinel ${moved.device} than the plan, or has it no more`;
      await changes.move(change, { state: "paused", reason }, { what: "paused", detail: reason, by: null });
      return;
    }
    const entries = (request.sentinels ?? []).map(({ checks }) => checks);
    await jobs.changeBulk(
      {
        ...{ id, step, part: partOf(change, "judging") },
        work: {
          kind: "check",
          devices: plan.sentinels.map((sentinel) => ({
            device: sentinel.device,
            checks: checksOfSentinel(sentinel, entries).map(({ check }) => check),
          })),
          shared: withoutAbsent({
            ...{ label: labelOf("sentinels", change.name), ticket: change.ticket },
            ...{ concurrency: plan.concurrency, options: { retries: 1 } },
          }),
        },
      },
      owner,
    );
  }

  async function submitPush(change: StoredChange, plan: StoredPlan, owner: Caller): Promise<void> {
    const { id, wave } = change;
    const all = await slicedTargets(change, ["waiting", "pushing"]);
    if (all.length === 0) return goOn(change, "left");
    const request = readRequest(change.request);
    if (request === undefined) throw new ServiceError("BadRequest", unreadable);
    const { driver_args, checks, ttl, ticket, note } = request;
    const shared = withoutAbsent({
      ...{ driver_args, checks, ttl, ticket, note },
      label: change.name,
      concurrency: plan.concurrency,
    });
    const snapshot = await inventory.snapshot();
    const hasRoom = await jobs.changeRoom(shared);
    const lines = createLines(all, (hashes) => changes.texts(id, hashes));
    if (Object.keys(plan.restored).length > 0) requireRight(owner, "history");
    const devices: PushedDevice[] = [];
    const holdSeconds = plan.hold?.seconds[wave - 1];
    const moves: TargetMove[] = [];
    let last: number | undefined;
    let isFull = false;
    for (const [index, { position, device, host, state, beforeVersion }] of all.entries()) {
      const not = (word: TargetState, reason: string) => void moves.push({ position, state: word, reason });
      if (isFull) {
        // Marked with more room, by a node that ended before it could submit them.
        if (state === "pushing") moves.push({ position, state: "waiting" });
        continue;
      }
      if (state === "waiting" && snapshot.device(device)?.host !== host) {
        not(
          "diverged",
          "the inventory has another address for it than the plan, or has it no more. Nothing was sent",
        );
        continue;
      }
      const { config, chars } = (await lines(index)) ?? {};
      if (config === undefined || chars === undefined) {
        not("failed", "its lines cannot be opened: they are damaged. Nothing was sent");
        continue;
      }
      const version = plan.restored[device];
      const pushed: PushedDevice | { readonly reason: string } =
        version === undefined
          ? { device, config }
          : await restoringPush({ device, beforeVersion }, version, config, driver_args, returns);
      if ("reason" in pushed) {
        not("diverged", `${pushed.reason} Nothing was sent`);
        continue;
      }
      const more = pushed.restore === undefined ? 0 : JSON.stringify(pushed.restore).length;
      if (hasRoom(device, chars + more)) {
        devices.push(whyNotHeld(device, plan) === undefined ? { ...pushed, holdSeconds } : pushed);
        last = position;
        if (state === "waiting") moves.push({ position, state: "pushing" });
      } else {
        isFull = true;
        if (state === "pushing") moves.push({ position, state: "waiting" });
      }
    }
    const at = { id, step: change.step };
    if (moves.length > 0) {
      const detail = `wave ${wave} of ${plan.waves.length}: ${devicesOf(devices.length)}`;
      const move = { targets: moves, ...(isFull ? { sliceTo: last ?? null } : {}) };
      if ((await changes.move(at, move, { what: "pushing", detail, by: null })) !== true) return;
      at.step++;
    }
    if (devices.length === 0) return;
    await jobs.changeBulk(
      { ...at, part: partOf(change, "pushing"), work: { kind: "push", devices, shared } },
      owner,
    );
  }

  /** Ends pushes that wait in their devices; those that no word would reach in time end by themselves. */
  async function submitEnds(
    change: StoredChange,
    phase: "confirming" | "cancelling",
    owner: Caller,
  ): Promise<void> {
    const request = readRequest(change.request);
    if (request === undefined) throw new ServiceError("BadRequest", unreadable);
    const word = phase === "confirming" ? "confirm" : "cancel";
    const states: readonly TargetState[] =
      phase === "confirming" ? ["unconfirmed"] : ["unconfirmed", "unknown"];
    const now = clock.wall();
    const waits = await slicedTargets(change, states);
    const all = waits.flatMap(({ device, position, open }) => {
      const waiting = openOf({ open });
      const ends = { word, open: waiting?.marks ?? "" } as const;
      const ttl =
        waiting && (phase === "confirming" ? confirmTtl(waiting, now, waits.length) : wordTtl(waits.length));
      if (waiting?.marks === undefined || ttl === undefined) return [];
      return [{ device, position, ttl, config: [`${word} the push that waits`], ends }];
    });
    if (all.length === 0) return goOn(change, "proving");
    const hasRoom = await jobs.changeRoom({});
    const devices = firstOf(all, ({ device, ends }) => hasRoom(device, JSON.stringify(ends).length));
    const at = await cut(change, devices, all.length);
    if (at === undefined) return;
    const shared = withoutAbsent({
      ...{ driver_args: request.driver_args, ticket: request.ticket, note: request.note },
      ...{ label: change.name, ttl: Math.min(...devices.map(({ ttl }) => ttl)) },
    });
    await jobs.changeBulk(
      { ...at, part: partOf(change, phase), work: { kind: "push", devices, shared } },
      owner,
    );
  }

  async function submitReturn(change: StoredChange, plan: StoredPlan, owner: Caller): Promise<void> {
    const shared = withoutAbsent({
      ...{ label: labelOf("return", change.name), ticket: change.ticket },
      concurrency: plan.concurrency,
    });
    const targets = await slicedTargets(change, ["returning"]);
    if (targets.length === 0) return goOn(change, "left");
    const hasRoom = await jobs.changeRoom(shared);
    const args = argsOfReturn(readRequest(change.request)?.driver_args);
    const devices = [];
    const refused: TargetMove[] = [];
    for (const { position, device, beforeVersion, afterVersion } of targets) {
      try {
        const {
          plan: restore,
          config,
          driverArgs,
        } = await returns.plan(device, beforeVersion ?? 0, afterVersion ?? 0);
        if (!hasRoom(device, JSON.stringify([config, restore]).length)) break;
        devices.push({ device, position, config, restore, driverArgs: { ...args, ...driverArgs } });
      } catch (error) {
        if (!(error instanceof ServiceError) || isPassing(error)) throw error;
        refused.push({ position, state: "not_returned", reason: errorSentence(error) });
      }
    }
    if (refused.length > 0) {
      await changes.move(
        change,
        { targets: refused },
        { what: "not_returned", detail: refused[0]?.reason ?? undefined, by: null },
      );
      return;
    }
    const at = await cut(change, devices, targets.length);
    if (at === undefined) return;
    await jobs.changeBulk(
      { ...at, part: partOf(change, "pushing"), work: { kind: "push", devices, shared } },
      owner,
    );
  }

  /** The bulk has no room for the others: they follow when it has ended. @returns undefined: it was moved meanwhile */
  async function cut(
    change: StoredChange,
    devices: readonly Pick<StoredChangeTarget, "position">[],
    of: number,
  ): Promise<At | undefined> {
    const { id, step, phase } = change;
    const last = devices.at(-1);
    if (devices.length === of || last === undefined) return { id, step };
    const event = { what: phase ?? "", detail: `${devices.length} of ${of} devices`, by: null };
    const isMoved = await changes.move(change, { sliceTo: last.position }, event);
    return isMoved === true ? { id, step: step + 1 } : undefined;
  }

  async function goOn(change: StoredChange, phase: ChangePhase): Promise<void> {
    await changes.move(change, afterBulk(change, phase), { what: phase, by: null });
  }

  return submit;
}

/** Of one push only: what it commits for a while, and what it may find there. */
const ofPush: ReadonlySet<string> = new Set(
  "confirm confirm_delay commit commit_confirm revert_in if_match insert point".split(" "),
);

/** A device is given back what it had in the way in which it was written. */
const argsOfReturn = (args: Readonly<Record<string, unknown>> | null | undefined) =>
  Object.fromEntries(Object.entries(args ?? {}).filter(([name]) => !ofPush.has(name)));

/** As many of the first as pass. */
function firstOf<T>(all: readonly T[], passes: (one: T) => boolean): readonly T[] {
  const end = all.findIndex((one) => !passes(one));
  return end === -1 ? all : all.slice(0, end);
}
