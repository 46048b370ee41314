/** Manages schedules for their owners. */

import type { AuditAction } from "../api/admin/audit.ts";
import type { Body } from "../api/body.ts";
import {
  readableSpec,
  type ScheduleSpec,
  type ScheduleState,
  scheduleLimits,
  workMemberOf,
} from "../api/schedules/schedule.ts";
import { anyCaller, requireScope, seesAll, submitterNamed } from "../auth/caller.ts";
import type { Holders } from "../auth/holders.ts";
import type { Caller } from "../auth/port.ts";
import { requireRightsOf } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse } from "../base/issues.ts";
import type { Jobs } from "../jobs/port.ts";
import type { NodeFence, ScheduleValues, Store, StoredFiring, StoredSchedule } from "../store/port.ts";
import {
  type CheckedSchedule,
  type CheckTools,
  checkSchedule,
  firstTime,
  rawRequestOf,
  requireSize,
} from "./check.ts";
import type { Schedules } from "./port.ts";
import { toFiringRecord, toScheduleRecord, unreadableText } from "./record.ts";
import { nextDues, timesOf } from "./times.ts";

export interface AdministrationTools extends Pick<CheckTools, "recipes" | "timeZone"> {
  readonly store: Pick<Store, "schedules" | "clock" | "makeId">;
  readonly holders: Pick<Holders, "byId">;
  readonly jobs: Pick<Jobs, "checkKept" | "bulkResults">;
  readonly iso: (ms: number) => string;
  lease(): NodeFence | undefined;
  /** A requested firing was skipped. */
  onFired(status: "skipped"): void;
  /** A schedule may be due earlier than expected. */
  wake(): void;
}

const shownTimes = 10;

export function createAdministration(tools: AdministrationTools): Schedules {
  const { store, iso } = tools;
  const { schedules, clock } = store;

  async function find(name: string, caller: Caller): Promise<StoredSchedule> {
    const schedule = (await schedules.find(name)) ?? (await schedules.findNamed(caller.keyId, name));
    if (schedule && (seesAll(caller) || (await isOf(caller, schedule.owner)))) return schedule;
    throw new ServiceError("NotFound", "There is no schedule with that id or name.");
  }

  /** A person sees those of the own keys, too. */
  async function isOf(caller: Caller, owner: string): Promise<boolean> {
    if (owner === caller.keyId) return true;
    const isPerson = caller.person?.id === caller.keyId;
    return isPerson && (await tools.holders.byId(owner))?.person?.id === caller.keyId;
  }

  /** @param revision the one that the caller has read; undefined: any */
  async function findAt(revision: number | undefined, name: string, caller: Caller) {
    const stored = await find(name, caller);
    if (revision !== undefined && stored.revision !== revision)
      throw new ServiceError(
        "PreconditionFailed",
        "The schedule has changed since: read it again and retry.",
      );
    return stored;
  }

  async function show(id: string, caller: Caller) {
    const stored = await find(id, caller);
    const [request, lastOf] = await Promise.all([
      schedules.requestOf(stored.id),
      schedules.lastFirings([stored.id]),
    ]);
    const from = Math.max(clock.wall(), (stored.next?.dueAt ?? 0) - 1);
    const { whole: spec } = readableSpec(stored.spec);
    const next =
      stored.next && spec
        ? nextDues(timesOf(stored.id, spec, stored.anchor), from, shownTimes).map(({ fireAt }) => fireAt)
        : [];
    const [owners, results] = await Promise.all([ownersOf([stored]), resultsOf([...lastOf.values()])]);
    const details = { request, owner: owners.get(stored.owner), last: lastOf.get(stored.id), results, next };
    return toScheduleRecord(stored, details, iso);
  }

  /** Whoever sees a schedule sees the bulks that it submitted: it has the same owner. */
  function resultsOf(firings: readonly StoredFiring[]) {
    return tools.jobs.bulkResults(firings.flatMap(({ bulkId }) => bulkId ?? []));
  }

  async function ownersOf(storedSchedules: readonly StoredSchedule[]) {
    const ids = [...new Set(storedSchedules.map(({ owner }) => owner))];
    const holders = await Promise.all(ids.map((id) => tools.holders.byId(id)));
    return new Map(
      holders.flatMap((holder) => {
        if (holder === undefined) return [];
        const { id, name, scope, state, person } = holder;
        const kind = person?.id === id ? ("person" as const) : ("key" as const);
        return [[id, { kind, name, scope, inForce: state === "in_force" }]];
      }),
    );
  }

  function valuesOf(id: string, checked: CheckedSchedule, anchor: number): ScheduleValues {
    const { name, enabled, spec, request } = checked;
    const next = firstTime(id, spec, anchor, anchor);
    const state: ScheduleState = enabled ? "active" : "paused";
    return {
      name,
      state,
      why: null,
      spec: JSON.stringify(spec),
      request,
      anchor,
      next: enabled ? next : undefined,
    };
  }

  /** What the schedule does with the rights of its owner is started or resumed only by a key that has them too. */
  async function requireRightsOfOwner(
    { owner }: StoredSchedule,
    caller: Caller,
    verb: string,
  ): Promise<void> {
    if (owner === caller.keyId) return;
    const [key, own] = await Promise.all([tools.holders.byId(owner), tools.holders.byId(caller.keyId)]);
    // Nothing runs for a key that is gone.
    if (key === undefined) return;
    const { scope, hosts, credentials, rights, recipes } = key;
    const expiresAt = own?.expiresAt;
    requireRightsOf(
      { ...caller, expiresAt },
      { scope, hosts, credentials, rights, recipes, expiresAt },
      `${verb} the schedule of ${key.name}`,
    );
  }

  async function write(
    stored: StoredSchedule,
    values: ScheduleValues & { readonly owner?: string },
    caller: Caller,
    action: AuditAction,
  ) {
    // Its content runs with the rights of whoever wrote it.
    const owned = { owner: caller.keyId, ...values };
    const written = await schedules.change(stored.id, stored.revision, owned, caller, action);
    if (written === "taken") refuse([nameTaken]);
    if (written === "stale")
      throw new ServiceError("InProgress", "The schedule was changed concurrently: try again.");
    tools.wake();
    return show(stored.id, caller);
  }

  /** @param state the new state; nothing else changes */
  async function turn(name: string, caller: Caller, state: "active" | "paused", action: AuditAction) {
    requireScope(caller, "operate");
    const stored = await find(name, caller);
    if (state === "active") await requireRightsOfOwner(stored, caller, "resume");
    const next =
      state === "active" ? firstTime(stored.id, requireSpec(stored), stored.anchor, clock.wall()) : undefined;
    const request = await schedules.requestOf(stored.id);
    const { name: itsName, spec: text, anchor } = stored;
    const values = {
      name: itsName,
      owner: stored.owner,
      state,
      why: null,
      spec: text,
      request,
      anchor,
      next,
    };
    return write(stored, values, caller, action);
  }

  return {
    async list(caller, { limit, cursor, submitted_by }) {
      const owner = seesAll(caller) ? undefined : caller.keyId;
      const submitter = submitterNamed(submitted_by, caller);
      const rows = await schedules.page({ owner, submitter }, limit + 1, cursor);
      const page = rows.slice(0, limit);
      const [owners, lastOf] = await Promise.all([
        ownersOf(page),
        schedules.lastFirings(page.map(({ id }) => id)),
      ]);
      const results = await resultsOf([...lastOf.values()]);
      const records = page.map((stored) => {
        const next = stored.next ? [stored.next.fireAt] : [];
        const details = {
          request: undefined,
          owner: owners.get(stored.owner),
          last: lastOf.get(stored.id),
          results,
          next,
        };
        return toScheduleRecord(stored, details, iso);
      });
      return { schedules: records, next: rows.length > limit ? page.at(-1)?.id : undefined };
    },

    read: show,

    async add(body, caller) {
      const checked = await read(body, caller);
      const id = store.makeId();
      const values = valuesOf(id, checked, clock.wall());
      const added = await schedules.add({ ...values, id, owner: caller.keyId }, caller);
      if (added === "taken") refuse([nameTaken]);
      if (added === "full")
        throw new ServiceError(
          "PayloadTooLarge",
          `There are too many schedules: ${anyCaller} may have ${scheduleLimits.maxOfKey}, all of them ${scheduleLimits.most}. Remove some that have ended.`,
        );
      tools.wake();
      return show(id, caller);
    },

    async replace(name, body, caller, revision) {
      const stored = await findAt(revision, name, caller);
      const checked = await read(body, caller);
      return write(stored, valuesOf(stored.id, checked, clock.wall()), caller, "schedule.change");
    },

    async change(name, body, caller, revision) {
      const stored = await findAt(revision, name, caller);
      requireSize(body);
      const request = await schedules.requestOf(stored.id);
      const patch = membersOf(body.value);
      const read = readableSpec(stored.spec);
      const missing = read.unreadable.filter((field) => !(field in patch));
      if (missing.length > 0) refuseUnreadable(missing);
      const { what: _what, ...spec } = read.fields;
      const work = request === null ? {} : { [workMemberOf(_what?.kind)]: JSON.parse(request) };
      const what = { ..._what, ...work };
      const before = { ...spec, what, name: stored.name, enabled: stored.state !== "paused" };
      const merged = Object.entries({ ...before, ...patch }).filter(([, member]) => member !== null);
      const raw = "what" in patch ? rawRequestOf(body.text) : request;
      const checked = await checkSchedule(Object.fromEntries(merged), raw, caller, tools);
      return write(stored, valuesOf(stored.id, checked, clock.wall()), caller, "schedule.change");
    },

    async remove(name, caller) {
      requireScope(caller, "operate");
      const { id } = await find(name, caller);
      await schedules.remove(id, caller);
      return id;
    },

    pause: (name, caller) => turn(name, caller, "paused", "schedule.pause"),
    resume: (name, caller) => turn(name, caller, "active", "schedule.resume"),

    async run(name, caller) {
      requireScope(caller, "operate");
      const stored = await find(name, caller);
      const { id, state, why } = stored;
      requireSpec(stored);
      await requireRightsOfOwner(stored, caller, "run");
      if (state === "stopped")
        throw new ServiceError("BusinessFailure", `The schedule was stopped: ${why ?? ""}.`, { id, state });
      const lease = tools.lease();
      const firing = lease && (await schedules.run(lease, id, caller));
      if (!firing)
        throw new ServiceError("Unavailable", "This node holds no lease at the moment.", { retryAfter: 5 });
      if (firing.status === "skipped") tools.onFired("skipped");
      tools.wake();
      return toFiringRecord(firing, new Map(), iso);
    },

    async firings(name, caller, { limit, cursor }) {
      const { id } = await find(name, caller);
      const before = cursor === undefined ? undefined : Number(cursor);
      if (before !== undefined && !Number.isSafeInteger(before))
        throw new ServiceError("BadRequest", "The cursor is invalid: it was not issued by this list.");
      const rows = await schedules.firings(id, limit + 1, before);
      const page = rows.slice(0, limit);
      const next = rows.length > limit ? String(page.at(-1)?.dueAt) : undefined;
      const results = await resultsOf(page);
      return { firings: page.map((firing) => toFiringRecord(firing, results, iso)), next };
    },

    async preview(body, caller) {
      const { spec } = await read(body, caller);
      const now = clock.wall();
      firstTime("", spec, now, now);
      return { next: nextDues(timesOf("", spec, now), now, shownTimes).map(({ dueAt }) => iso(dueAt)) };
    },
  };

  async function read(body: Body, caller: Caller): Promise<CheckedSchedule> {
    requireSize(body);
    return checkSchedule(body.value, rawRequestOf(body.text), caller, tools);
  }
}

const nameTaken = { path: "name", message: `${anyCaller} already has a schedule with that name` };

/** @throws ServiceError Validation, with the fields that this version cannot read */
function requireSpec({ spec }: StoredSchedule): ScheduleSpec {
  const { whole, unreadable } = readableSpec(spec);
  return whole ?? refuseUnreadable(unreadable);
}

function refuseUnreadable(unreadable: readonly string[]): never {
  return refuse(unreadable.map((path) => ({ path, message: unreadableText([path]) })));
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
