/** Submits the bulk of a phase: takes before and after, pushes, and the jobs that give devices back what they had. */
import type { TargetState } from "../api/change.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { errorSentence } from "../base/issues.ts";
import type { Log } from "../base/log.ts";
import type { Returns } from "../history/port.ts";
import type { Inventory } from "../inventory/port.ts";
import type { ChangeJobs } from "../jobs/port.ts";
import type { Store, StoredChange, TargetMove } from "../store/port.ts";
import type { StoredPlan } from "./plan.ts";
import { createPolicyCheck } from "./policy-check.ts";
import { readRequest } from "./request.ts";
import { isPassing, partOf, type TargetReading } from "./targets.ts";

export interface SubmissionTools {
  readonly store: Pick<Store, "changes" | "jobs" | "clock">;
  readonly jobs: ChangeJobs;
  readonly returns: Returns;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly reading: TargetReading;
  readonly log: Log;
  /** The author with the rights of today; undefined: they have none any more. */
  ownerOf(id: string): Promise<Caller | undefined>;
}

export function createSubmission(tools: SubmissionTools) {
  const { store, jobs, returns, inventory, log, ownerOf } = tools;
  const { changes, clock } = store;
  const { targetsOf } = tools.reading;
  const objectionTo = createPolicyCheck(tools);

  async function submit(change: StoredChange, plan: StoredPlan | undefined): Promise<void> {
    const { id, phase, state } = change;
    const owner = await ownerOf(change.holder);
    if (plan === undefined || phase === null) return;
    if (owner === undefined) {
      const reason = `${change.submitter} has no rights any more: nothing was begun`;
      await changes.move(
        change,
        {
          state: state === "returning" ? "needs_person" : "paused",
          reason,
          ...(state === "returning" ? { endedAt: clock.wall() } : {}),
        },
        { what: "paused", detail: reason, by: null },
      );
      return;
    }
    const begins = state === "running" && phase === "reading" && change.wave === 1;
    const objection = begins
      ? await objectionTo(change, readRequest(change.request), plan.demands)
      : undefined;
    if (objection !== undefined) {
      const reason = `${objection}: nothing was begun. Plan it again`;
      const to = { state: "expired", wave: 0, phase: null, startedAt: null, endedAt: clock.wall() } as const;
      await changes.move(change, { ...to, reason }, { what: "expired", detail: reason, by: null });
      return;
    }
    try {
      if (phase !== "pushing") await submitReading(change, owner);
      else if (state === "returning") await submitReturn(change, plan, owner);
      else await submitPush(change, plan, owner);
    } catch (error) {
      if (error instanceof ServiceError && error.kind === "InUse") return;
      if (!(error instanceof ServiceError) || isPassing(error)) throw error;
      const reason = errorSentence(error);
      log.warn("change.not_submitted", { change: id, reason });
      if (state === "returning")
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
    const { id, step, wave, phase, state } = change;
    if (phase === null) return;
    const isReturn = state === "returning";
    const states: readonly TargetState[] = isReturn
      ? ["returning"]
      : phase === "reading"
        ? ["waiting"]
        : ["pushed"];
    const targets = (await targetsOf(id, isReturn ? { states } : { wave, states })).filter(
      ({ beforeVersion }) => beforeVersion !== null,
    );
    if (targets.length === 0) {
      const next = phase === "reading" ? "pushing" : "soaking";
      await changes.move(change, { phase: next, dueAt: null }, { what: next, by: null });
      return;
    }
    const note = `change ${change.name}`;
    await jobs.changeBulk(
      {
        ...{ id, step, part: partOf(change, phase) },
        work: {
          kind: "take",
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

  async function submitPush(change: StoredChange, plan: StoredPlan, owner: Caller): Promise<void> {
    const { id, wave } = change;
    const waiting = await targetsOf(id, { wave, states: ["waiting"] });
    let at = { id, step: change.step };
    if (waiting.length > 0) {
      const snapshot = await inventory.snapshot();
      const moves = waiting.map(({ position, device, host }): TargetMove => {
        if (snapshot.device(device)?.host === host) return { position, state: "pushing" };
        const reason =
          "the inventory has another address for it than the plan, or has it no more. Nothing was sent";
        return { position, state: "diverged", reason };
      });
      const detail = `wave ${wave} of ${plan.waves.length}: ${moves.filter(({ state }) => state === "pushing").length} devices`;
      if ((await changes.move(at, { targets: moves }, { what: "pushing", detail, by: null })) !== true)
        return;
      at = { id, step: change.step + 1 };
    }
    const targets = await targetsOf(id, { wave, states: ["pushing"] });
    const request = readRequest(change.request);
    if (request === undefined || targets.length === 0) return;
    const texts = await changes.texts(id, [...new Set(targets.map(({ sha256 }) => sha256))]);
    const { driver_args, checks, ttl, ticket, note } = request;
    await jobs.changeBulk(
      {
        ...{ ...at, part: partOf(change, "pushing") },
        work: {
          kind: "push",
          devices: targets.flatMap(({ device, sha256 }) => {
            const lines = texts.get(sha256);
            return lines === undefined ? [] : [{ device, config: lines.split("\n") }];
          }),
          shared: withoutAbsent({
            ...{ driver_args, checks, ttl, ticket, note },
            label: change.name,
            concurrency: plan.concurrency,
          }),
        },
      },
      owner,
    );
  }

  async function submitReturn(change: StoredChange, plan: StoredPlan, owner: Caller): Promise<void> {
    const { id, step } = change;
    const targets = (await targetsOf(id, { states: ["returning"] })).reverse();
    const devices = [];
    const refused: TargetMove[] = [];
    for (const { position, device, beforeVersion, afterVersion } of targets) {
      try {
        const {
          plan: restore,
          config,
          driverArgs,
        } = await returns.plan(device, beforeVersion ?? 0, afterVersion ?? 0);
        devices.push({ device, config, restore, driverArgs });
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
    await jobs.changeBulk(
      {
        ...{ id, step, part: partOf(change, "pushing") },
        work: {
          kind: "push",
          devices,
          shared: withoutAbsent({
            ...{ label: `return of ${change.name}`, ticket: change.ticket },
            concurrency: plan.concurrency,
          }),
        },
      },
      owner,
    );
  }

  return submit;
}

function withoutAbsent(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  );
}
