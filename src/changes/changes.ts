/** Changes as callers see them: drafts, plans, votes, and the words that move them on. */
import type { Body } from "../api/body.ts";
import {
  type ChangeDetail,
  type ChangeRecord,
  type ChangeRequest,
  type ChangeState,
  changeLimits,
  changeWord,
  changeWords,
  editableChanges,
  rehearsableChanges,
  targetStates,
  voteRequest,
} from "../api/changes/change.ts";
import { changeDefaults } from "../api/changes/change-defaults.ts";
import { entryKey } from "../api/inventory/inventory.ts";
import { ownerOfChange, requireScope, submitterOf } from "../auth/caller.ts";
import type { Holders } from "../auth/holders.ts";
import type { Caller } from "../auth/port.ts";
import { requireRight } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import type { Inventory } from "../inventory/port.ts";
import { pinned } from "../jobs/request/named-templates.ts";
import { checkShape } from "../jobs/request/validate.ts";
import type { PlatformPlugin } from "../plugin/index.ts";
import type { ChangeMove, ChangeTally, Store, StoredChange, StoredChangeTarget } from "../store/port.ts";
import { createProposals, planWaitMs, tooMany } from "./drafts/proposals.ts";
import { draftingRun, type RunDrafts } from "./drafts/run-changes.ts";
import { judgedAgain, shownJudging } from "./gates/judging.ts";
import { createDifferences, type DifferenceTools } from "./planning/difference.ts";
import { readPlan, readWaves } from "./planning/plan.ts";
import { noDemands } from "./planning/policy.ts";
import { createPolicyCheck } from "./planning/policy-check.ts";
import { createDraftGroups, createShownGroups, type GroupJobs } from "./planning/shown-groups.ts";
import { byWave, reasonsOf } from "./planning/shown-plan.ts";
import type { Changes } from "./port.ts";
import { createReach } from "./reach.ts";
import { createChangeRehearsals, type RehearsingTools } from "./rehearsing/rehearsing.ts";
import { createReports } from "./report/report.ts";
import { beginsAt, readRequest, requestOf, shownRequest, withVersions } from "./request.ts";
import { canReturn, noCounts, returning, targetRecord } from "./targets.ts";
import { type ChangeHead, createWaiting, restores } from "./waiting.ts";

export interface ChangesOptions {
  readonly store: Pick<Store, "changes" | "jobs" | "history" | "templates" | "clock" | "makeId">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly holders: Pick<Holders, "byId">;
  readonly jobs: GroupJobs & DifferenceTools["jobs"] & RehearsingTools["jobs"];
  readonly returns: DifferenceTools["returns"] & RehearsingTools["returns"];
  readonly iso: (ms: number) => string;
  platform(name: string): PlatformPlugin | undefined;
  /** Something is to be moved on. */
  onMoved(): void;
  /** Waits until this node has planned it, or tried to, or for the time. */
  planned(id: string, forMs: number): Promise<void>;
}

/** Those that may wait for somebody's word. */
const waitingChanges = ["draft", "waiting_approval", "approved", "paused"] as const;
const pageSize = 1_000;
/** Changes of a list that are looked at, whether the caller sees them or not. */
const mostLooked = 300;
const anotherOne = "cancel it and draft another one";

export function createChanges(options: ChangesOptions): Changes & RunDrafts {
  const { store, iso } = options;
  const { changes, clock } = store;
  const reach = createReach(store);
  const { find, maySee } = reach;
  const objectionTo = createPolicyCheck(options);
  const differences = createDifferences({ ...options, reach, markKey: keyOfMarks });
  const proposed = createProposals(options);
  const shownGroups = createShownGroups({ ...options, markKey: keyOfMarks });
  const draftGroups = createDraftGroups({ ...options, markKey: keyOfMarks });
  const rehearsals = createChangeRehearsals({
    ...{ ...options, reach },
    requireState: (change, what) => requireState(change, rehearsableChanges, what),
    requireFewer: (change) => requireFewer(change, "planning", anotherOne),
  });
  const report = createReports({
    ...{ store, reach, iso, detailOf },
    async targetsAfter(change, after, limit) {
      return recordsOf(change, await changes.targets(change.id, { after }, limit));
    },
  });
  let markKey: Promise<string> | undefined;

  const { waitsFor, approvesOwn } = createWaiting(options);
  const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));

  function recordOf(
    change: ChangeHead,
    waves: readonly number[],
    tally: ChangeTally | undefined,
    waits: boolean,
  ): ChangeRecord {
    const targets = noCounts();
    for (const { state, count } of tally?.targets ?? []) targets[state] += count;
    return {
      id: change.id,
      name: change.name,
      ...(change.origin === null ? {} : { origin: change.origin }),
      ...draftingRun(change),
      state: change.state,
      reason: change.reason,
      revision: change.revision,
      hash: change.hash,
      submitted_by: { kind: change.submitterKind, name: change.submitter },
      ...(change.ticket === null ? {} : { ticket: change.ticket }),
      created_at: iso(change.createdAt),
      started_at: isoOrNull(change.startedAt),
      ended_at: isoOrNull(change.endedAt),
      expires_at: isoOrNull(change.expiresAt),
      wave: change.wave,
      waves: [...waves],
      phase: change.phase,
      due_at: isoOrNull(change.dueAt),
      approvals: { needed: change.needed, given: tally?.approvals ?? 0 },
      targets,
      waits_for_you: waits,
    };
  }

  async function detailOf(change: StoredChange, caller: Caller): Promise<ChangeDetail> {
    const { id } = change;
    const plan = readPlan(change.plan);
    const request = readRequest(change.request);
    const [tallies, counts, waits, groups, votes, bulks, rehearsal] = await Promise.all([
      changes.tallies([id]),
      changes.counts(id),
      waitsFor(change, caller),
      plan === undefined ? draftGroups(request, caller) : shownGroups(change, plan, caller),
      changes.votes(id),
      changes.bulks(id),
      rehearsals.shown(change),
    ]);
    return {
      ...recordOf(change, plan?.waves ?? [], tallies.get(id), waits),
      request: request === undefined ? {} : shownRequest(request),
      groups,
      votes: votes.map(({ person, verdict, revision, hash, note, at }) => ({
        ...{ person, verdict, revision, hash, note },
        at: iso(at),
      })),
      by_wave: byWave(plan?.waves.length ?? 0, counts),
      not_returnable: Object.keys(plan?.notReturnable ?? {}).length,
      not_returnable_because: plan === undefined ? [] : reasonsOf(plan),
      warnings: plan?.warnings ?? [],
      sentinels: (plan?.sentinels ?? []).map(({ device }) => device),
      judged: shownJudging(change.judging, iso),
      rehearsal,
      bulks: bulks.map(({ number, phase, returns, bulkId }) => ({ number, phase, returns, bulk_id: bulkId })),
    };
  }

  async function recordsOf(change: StoredChange, targets: readonly StoredChangeTarget[]) {
    const plan = readPlan(change.plan);
    const said = await rehearsals.byDevice(change.id, targets);
    return targets.map((target) => ({
      ...targetRecord(target, plan),
      ...rehearsals.ofTarget(said.get(entryKey(target.device))),
    }));
  }

  function keyOfMarks(): Promise<string> {
    markKey ??= store.history.markKey();
    markKey.catch(() => {
      markKey = undefined;
    });
    return markKey;
  }

  function requireState({ state }: StoredChange, states: readonly ChangeState[], what: string): void {
    if (states.includes(state)) return;
    throw new ServiceError("InUse", `The change is ${state}: ${what}, it must be ${states.join(" or ")}.`);
  }

  /** @param way what to do in its place */
  async function requireFewer(
    { id }: StoredChange,
    most: keyof typeof changeLimits.said,
    way: string,
  ): Promise<void> {
    if ((await changes.saidSteps(id)) < changeLimits.said[most]) return;
    throw new ServiceError(
      "InUse",
      `Persons and keys have moved the change ${changeLimits.said[most]} times, which is the most: ${way}.`,
    );
  }

  async function moved(
    change: StoredChange,
    to: ChangeMove,
    what: string,
    caller: Caller,
    detail?: string,
  ): Promise<ChangeDetail> {
    const done = await changes.move(change, to, { what, detail, by: caller });
    if (done === "busy") {
      const other = await changes.otherWith(change.id);
      throw new ServiceError(
        "InUse",
        other === undefined
          ? "A device was in another change: try again."
          : `The device ${other.device} is in the change "${other.name}" (${other.id}): it must end first.`,
      );
    }
    if (!done)
      throw new ServiceError("InProgress", "The change was moved on meanwhile: read it again and retry.");
    options.onMoved();
    const now = await changes.find(change.id);
    return detailOf(now ?? change, caller);
  }

  const valuesOf = (request: ChangeRequest) => ({
    name: request.name,
    ticket: request.ticket ?? null,
    needed: request.approvals?.count ?? changeDefaults.approvals.count,
    request: JSON.stringify(request),
  });

  return {
    async list({ state, waits = false }, caller, { limit, cursor }) {
      requireScope(caller, "read");
      const states = state !== undefined ? [state] : waits ? waitingChanges : undefined;
      const items: ChangeRecord[] = [];
      let looked = 0;
      for (let before = cursor; ; ) {
        const rows = await changes.page({ states, before }, limit + 1);
        const tallies = await changes.tallies(rows.map(({ id }) => id));
        for (const change of rows) {
          if (!(await maySee(change, caller))) continue;
          const isWaiting = await waitsFor(change, caller);
          if (waits && !isWaiting) continue;
          if (items.length === limit) return { items, next: before };
          items.push(recordOf(change, readWaves(change.waves), tallies.get(change.id), isWaiting));
          before = change.id;
        }
        before = rows.at(-1)?.id ?? before;
        if (rows.length <= limit) return { items, next: undefined };
        looked += rows.length;
        if (looked >= mostLooked) return { items, next: before };
      }
    },

    read: async (id, caller) => detailOf(await find(id, caller), caller),

    async targets(id, { wave, state }, caller, { limit, cursor }) {
      const change = await find(id, caller);
      const states = targetStates.filter((word) => word === state);
      const after = cursor === undefined ? -1 : Number(cursor);
      if (!Number.isSafeInteger(after))
        throw new ServiceError("BadRequest", "The cursor is invalid: it was not issued by this list.");
      const rows = await changes.targets(
        id,
        { ...(wave === undefined ? {} : { wave }), after, ...(state === undefined ? {} : { states }) },
        limit + 1,
      );
      const page = rows.slice(0, limit);
      const items = await recordsOf(change, page);
      return { items, next: rows.length > limit ? String(page.at(-1)?.position) : undefined };
    },

    ...differences,
    report,

    async reportText(id, form, caller) {
      const { writeReport } = await import("./report/report-text.ts");
      return writeReport(await report(id, caller), form);
    },

    async steps(id, caller, { limit, cursor }) {
      await find(id, caller);
      const after = cursor === undefined ? 0 : Number(cursor);
      if (!Number.isSafeInteger(after))
        throw new ServiceError("BadRequest", "The cursor is invalid: it was not issued by this list.");
      const rows = await changes.steps(id, after, limit + 1);
      const page = rows.slice(0, limit);
      const items = page.map(({ n, at, what, who, detail }) => ({ n, at: iso(at), what, who, detail }));
      return { items, next: rows.length > limit ? String(page.at(-1)?.n) : undefined };
    },

    async draft(body, caller) {
      requireScope(caller, "operate");
      const request = await writtenBy(body, caller);
      const { kind, name } = submitterOf(caller);
      const id = store.makeId();
      const submitter = { submitterKind: kind, submitter: name, holder: caller.keyId };
      if ((await changes.add({ id, ...submitter, ...valuesOf(request) }, caller)) === "full") throw tooMany();
      const change = await changes.find(id);
      if (change === undefined) throw new ServiceError("Internal", "The draft is gone.");
      return detailOf(change, caller);
    },

    async propose(body, once, caller) {
      requireScope(caller, "agent");
      const by = ownerOfChange(caller);
      return detailOf(
        await proposed.propose(once, caller, async () => valuesOf(await writtenBy(body, by))),
        by,
      );
    },

    check: async (body, caller) => void (await writtenBy(body, caller)),

    async draftOnce(body, proposal, caller) {
      requireScope(caller, "operate");
      const written = async () => valuesOf(await writtenBy(body, caller));
      const change = await proposed.draftOnce(proposal, caller, written);
      options.onMoved();
      return change;
    },

    async edit(id, body, caller) {
      requireScope(caller, "operate");
      const change = await find(id, caller);
      requireState(change, editableChanges, "to edit it");
      const { kind, name } = submitterOf(caller);
      if (change.holder !== caller.keyId)
        throw new ServiceError(
          "Forbidden",
          `The change runs with the rights of ${change.submitter}, who alone may edit it: ${name} (${kind}) may draft another one.`,
        );
      await requireFewer(change, "planning", anotherOne);
      const request = await writtenBy(body, caller, readRequest(change.request));
      const revision = change.revision + 1;
      return moved(
        change,
        {
          ...{ ...valuesOf(request), revision, state: "draft", hash: null, plan: null, reason: null },
          ...{ dueAt: null, expiresAt: null, endedAt: null },
        },
        "edited",
        caller,
        `revision ${revision}`,
      );
    },

    async plan(id, caller) {
      requireScope(caller, "operate");
      const change = await find(id, caller);
      requireState(change, editableChanges, "to plan it");
      await requireFewer(change, "planning", anotherOne);
      const revision = change.hash === null ? change.revision : change.revision + 1;
      const planned = options.planned(id, planWaitMs);
      await moved(
        change,
        {
          ...{ state: "planning", revision, hash: null, plan: null, reason: null, dueAt: null },
          ...{ expiresAt: null, endedAt: null },
        },
        "plan",
        caller,
        `revision ${revision}`,
      );
      await planned;
      return detailOf((await changes.find(id)) ?? change, caller);
    },

    async rehearse(id, body, caller) {
      const change = await rehearsals.rehearse(id, body, caller);
      options.onMoved();
      return detailOf(change, caller);
    },

    async vote(id, body, caller) {
      requireScope(caller, "read");
      const change = await find(id, caller);
      const { revision, hash, verdict, note } = checkShape(voteRequest, body.value);
      requireRight(caller, "approve");
      const { person } = caller;
      if (person === undefined)
        throw new ServiceError("InUse", "A vote is a person's: sign in as one. A key cannot vote.");
      // Nobody approves what they cannot read.
      if (verdict === "approve" && restores(change)) requireRight(caller, "history");
      if (verdict === "approve" && (await approvesOwn(change, caller)))
        throw new ServiceError("InUse", `${person.name} is the author: somebody else must approve it.`);
      requireState(change, ["waiting_approval"], "to vote");
      if (revision !== change.revision || hash !== change.hash)
        throw new ServiceError(
          "InUse",
          `The vote is for revision ${revision} with another plan: the change has revision ${change.revision}. Read it again.`,
        );
      if (change.expiresAt !== null && change.expiresAt <= clock.wall())
        throw new ServiceError("InUse", "The plan has expired: plan it again.");
      await requireFewer(change, "planning", anotherOne);
      const vote = { revision, hash, verdict, note: note ?? null, personId: person.id, person: person.name };
      const detail = `${verdict}, revision ${revision}`;
      if (!(await changes.vote(change, vote, { what: "voted", detail, by: caller })))
        throw new ServiceError("InProgress", "The change was moved on meanwhile: read it again and retry.");
      options.onMoved();
      return detailOf((await changes.find(id)) ?? change, caller);
    },

    async say(id, word, body, caller) {
      requireScope(caller, "operate");
      const change = await find(id, caller);
      const { revision, note } = body === undefined ? {} : checkShape(changeWord, body.value);
      if (revision !== undefined && revision !== null && revision !== change.revision)
        throw new ServiceError(
          "InUse",
          `The change has revision ${change.revision}, not ${revision}: read it again.`,
        );
      requireState(change, changeWords[word], `for "${word}"`);
      const now = clock.wall();
      const why = note ?? undefined;
      switch (word) {
        case "start": {
          const request = readRequest(change.request);
          if (change.expiresAt !== null && change.expiresAt <= now)
            throw new ServiceError("InUse", "The plan has expired: plan it again.");
          const plan = readPlan(change.plan);
          const objection = await objectionTo(change, request, plan ?? { demands: noDemands, restored: {} });
          if (objection !== undefined)
            throw new ServiceError("InUse", `It cannot start: ${objection.why}. ${objection.way}.`);
          const dueAt = beginsAt(request, now);
          const judges = plan?.rules.judges === true;
          const begins: ChangeMove = {
            ...{ state: "running", startedAt: now, dueAt, reason: null, judging: null },
            ...(judges ? { wave: 0, phase: "judging" } : { wave: 1, phase: "reading" }),
          };
          return moved(change, { ...begins, alone: true, anew: true }, "started", caller, why);
        }
        case "pause":
          return moved(
            change,
            { state: "paused", reason: why ?? `paused by a ${submitterOf(caller).kind}: see its steps` },
            "paused",
            caller,
            why,
          );
        case "resume": {
          await requireFewer(change, "all", "stop it, and draft another one for the devices that are left");
          const isJudging = change.phase === "judging";
          const hasBegun = change.wave > 1 || (change.wave === 1 && change.phase !== "reading");
          const dueAt = hasBegun ? null : beginsAt(readRequest(change.request), now);
          return moved(
            change,
            {
              ...{ state: "running", reason: null },
              ...(isJudging ? { judging: judgedAgain(change) } : {}),
              ...(isJudging || !hasBegun ? { dueAt } : {}),
            },
            "resumed",
            caller,
            why,
          );
        }
        case "stop": {
          const reason = why ?? `stopped by a ${submitterOf(caller).kind}: see its steps`;
          return moved(change, { state: "stopping", reason, stopsBulks: true }, "stopped", caller, reason);
        }
        case "return":
          await requireFewer(change, "all", "give its devices back what they had by another one (`restore`)");
          return giveBack(change, caller, why);
        case "cancel":
          return moved(
            change,
            { state: "cancelled", reason: why ?? null, endedAt: now, dueAt: null },
            "cancelled",
            caller,
            why,
          );
      }
    },
  };

  async function giveBack(
    change: StoredChange,
    caller: Caller,
    why: string | undefined,
  ): Promise<ChangeDetail> {
    const plan = readPlan(change.plan);
    const targets = [];
    for (let after = -1; ; ) {
      const page = await changes.targets(change.id, { after }, pageSize);
      for (const target of page)
        if (plan && canReturn(target, plan))
          targets.push({ position: target.position, state: "returning" as const, reason: null });
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) break;
      after = last.position;
    }
    if (targets.length === 0)
      throw new ServiceError("InUse", "There is no device that the service can return: see their reasons.");
    return moved(change, { ...returning(change), targets, alone: true }, "returning", caller, why);
  }

  /** @param before what an edit replaces */
  async function writtenBy(body: Body, caller: Caller, before?: ChangeRequest): Promise<ChangeRequest> {
    const { request } = await pinned(options, withVersions(requestOf(body, caller, before)));
    const { sentinels, strategy } = request;
    await options.jobs.checkGates(
      { sentinels: sentinels ?? [], questions: strategy?.questions ?? [] },
      caller,
    );
    return request;
  }
}
