/** Rehearses the plan of a change: the lines of each device, as a bulk that pushes nothing; and tells what was said. */
import * as v from "valibot";
import type { Body } from "../../api/body.ts";
import {
  type ChangeDetail,
  type ChangeRequest,
  type ChangeTarget,
  rehearsableChanges,
} from "../../api/changes/change.ts";
import { begunRehearsal, changeRehearsalRequest } from "../../api/changes/change-rehearsal.ts";
import { entryKey } from "../../api/inventory/inventory.ts";
import { type Grade, grades } from "../../api/rehearsal/rehearsal.ts";
import { requireScope } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { requireRight } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Returns } from "../../history/port.ts";
import type { Inventory } from "../../inventory/port.ts";
import type { ChangeJobs } from "../../jobs/port.ts";
import { checkShape } from "../../jobs/request/validate.ts";
import type { Store, StoredChange, StoredChangeTarget, StoredRehearsal } from "../../store/port.ts";
import { type RestoringPush, restoringPush } from "../drafts/restoring-push.ts";
import { labelOf } from "../labels.ts";
import { readPlan, type StoredPlan } from "../planning/plan.ts";
import { createLines } from "../planning/target-lines.ts";
import type { ChangeReach } from "../reach.ts";
import { readRequest, unreadable } from "../request.ts";
import { createTargetReading, withoutAbsent } from "../targets.ts";

export interface RehearsingTools {
  readonly store: Pick<Store, "changes" | "jobs" | "clock">;
  readonly jobs: Pick<ChangeJobs, "changeBulk" | "changeRoom">;
  readonly reach: ChangeReach;
  readonly returns: Pick<Returns, "plan" | "byLines">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly iso: (ms: number) => string;
  requireState(change: StoredChange, what: string): void;
  requireFewer(change: StoredChange): Promise<void>;
}

const begunText = v.pipe(v.string(), v.parseJson(), begunRehearsal);
const gradesText = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.number()));
/** A change may be moved on while its bulk is stored. */
const tries = 3;

export function createChangeRehearsals(tools: RehearsingTools) {
  const { store, jobs, reach, iso, returns } = tools;
  const { changes, clock } = store;
  const { targetsOf } = createTargetReading(store);

  /** Those of which this plan has no rehearsal. */
  async function unrehearsed(id: string, targets: readonly StoredChangeTarget[]) {
    const known = await byDevice(id, targets);
    return targets.filter(({ device }) => !known.has(entryKey(device)));
  }

  async function byDevice(
    id: string,
    targets: readonly Pick<StoredChangeTarget, "device">[],
  ): Promise<ReadonlyMap<string, StoredRehearsal>> {
    if (targets.length === 0) return new Map();
    const rows = await changes.rehearsals(
      id,
      targets.map(({ device }) => entryKey(device)),
    );
    return new Map(rows.map((row) => [row.device, row]));
  }

  return {
    byDevice,

    /** With the rights of the caller. @returns the change as it is then */
    async rehearse(id: string, body: Body | undefined, caller: Caller): Promise<StoredChange> {
      requireScope(caller, "operate");
      const change = await reach.find(id, caller);
      const { revision, missing } = body === undefined ? {} : checkShape(changeRehearsalRequest, body.value);
      if (typeof revision === "number" && revision !== change.revision)
        throw new ServiceError(
          "InUse",
          `The change has revision ${change.revision}, not ${revision}: read it again.`,
        );
      tools.requireState(change, "to rehearse it");
      const [plan, request, hash] = [readPlan(change.plan), readRequest(change.request), change.hash];
      if (plan === undefined || request === undefined || hash === null)
        throw new ServiceError("Internal", `${unreadable}.`);
      // Its lines tell of configurations.
      const restores = Object.keys(plan.restored).length > 0;
      if (plan.mends === true || restores) requireRight(caller, "history");
      await tools.requireFewer(change);
      const snapshot = await tools.inventory.snapshot();
      const all = (await targetsOf(id, {})).filter(({ device }) => {
        const found = snapshot.device(device);
        return plan.restored[device] === undefined || (found !== undefined && returns.byLines(found));
      });
      if (all.length === 0)
        throw new ServiceError(
          "InUse",
          "It gives devices versions that they had as a whole, not by lines: compare each device with its version to see what that changes.",
        );
      const targets = missing === true ? await unrehearsed(id, all) : all;
      if (targets.length === 0)
        throw new ServiceError("InUse", "The lines of all its devices were rehearsed with this plan.");
      const shared = withoutAbsent({
        ...{ driver_args: request.driver_args, ttl: request.ttl, ticket: request.ticket, note: request.note },
        label: labelOf("rehearsal", change.name),
        concurrency: plan.concurrency,
      });
      const devices = await withLines(id, targets, shared, plan.restored);
      const bulkId = await jobs.changeBulk(
        {
          ...{ id, step: change.step, part: `rehearsal.${change.step}` },
          work: { kind: "push", devices, shared, rehearses: hash },
        },
        // Before a person has agreed, lines of an agent go to no device, whoever rehearses them.
        change.origin === "agent" && change.state === "waiting_approval"
          ? { ...caller, proposesOnly: true }
          : caller,
      );
      const begun: v.InferOutput<typeof begunRehearsal> = {
        ...{ bulkId, at: clock.wall(), revision: change.revision, hash },
      };
      const left = all.length - devices.length;
      const more = missing === true || left === 0 ? "" : `, ${left} left for another one`;
      const detail = `revision ${change.revision}: ${devices.length} devices${more}, bulk ${bulkId}`;
      return noted(change, begun, detail, caller);
    },

    async shown(change: StoredChange): Promise<ChangeDetail["rehearsal"]> {
      const begun = v.safeParse(begunText, change.rehearsal);
      if (!begun.success) return null;
      const { bulkId, at, revision, hash } = begun.output;
      const stale = hash !== change.hash || revision !== change.revision;
      const plan = readPlan(change.plan);
      const sum = stale ? undefined : await changes.rehearsalSum(change.id);
      return {
        ...{ bulk_id: bulkId, at: iso(at), revision, hash, stale },
        devices: plan?.waves.reduce((all, of) => all + of, 0) ?? 0,
        rehearsed: sum?.devices ?? 0,
        refusing: sum?.refusing ?? 0,
        grades: countsOf(sum?.grades.entries() ?? []),
      };
    },

    ofTarget(said: StoredRehearsal | undefined): Pick<ChangeTarget, "rehearsal"> {
      if (said === undefined) return {};
      const { jobId, at, refusals } = said;
      return { rehearsal: { job_id: jobId, at: iso(at), grades: gradesOf(said), refusals } };
    },
  };

  async function withLines(
    id: string,
    targets: readonly StoredChangeTarget[],
    shared: Readonly<Record<string, unknown>> & Pick<ChangeRequest, "driver_args">,
    restored: StoredPlan["restored"],
  ) {
    const hasRoom = await jobs.changeRoom(shared);
    const lines = createLines(targets, (hashes) => changes.texts(id, hashes));
    const devices: (Pick<RestoringPush, "device" | "config"> & Partial<RestoringPush>)[] = [];
    for (const [index, { device, beforeVersion }] of targets.entries()) {
      const of = await lines(index);
      if (of === undefined)
        throw new ServiceError("Internal", `The lines of ${device} cannot be opened: plan the change again.`);
      const version = restored[device];
      const push =
        version === undefined
          ? { device, config: of.config }
          : await restoringPush({ device, beforeVersion }, version, of.config, shared.driver_args, returns);
      if ("reason" in push)
        throw new ServiceError("InUse", `${device}: ${push.reason} Plan the change again.`);
      const more = "restore" in push ? JSON.stringify(push.restore).length : 0;
      if (!hasRoom(device, of.chars + more)) break;
      devices.push(push);
    }
    return devices;
  }

  /** Its results count for the plan, whatever else was done to the change meanwhile. */
  async function noted(
    first: StoredChange,
    begun: v.InferOutput<typeof begunRehearsal>,
    detail: string,
    caller: Caller,
  ): Promise<StoredChange> {
    let change = first;
    for (let tried = 0; tried < tries; tried++) {
      const move = { rehearsal: JSON.stringify(begun) };
      const event = { what: "rehearsed", detail, by: caller };
      const done = (await changes.move(change, move, event)) === true;
      change = (await changes.find(change.id)) ?? change;
      if (done) return change;
      if (change.hash !== begun.hash || !rehearsableChanges.includes(change.state)) break;
    }
    throw new ServiceError(
      "InProgress",
      `The change was moved on while it was rehearsed: bulk ${begun.bulkId} goes on, and counts if the plan is the same.`,
    );
  }
}

/** @returns how many lines have each grade */
export function gradesOf({ grades: text }: Pick<StoredRehearsal, "grades">): Partial<Record<Grade, number>> {
  const read = v.safeParse(gradesText, text);
  return read.success ? countsOf(Object.entries(read.output)) : {};
}

/** In the order of the grades, best first. */
function countsOf(counts: Iterable<readonly [string, number]>): Partial<Record<Grade, number>> {
  const found = new Map(counts);
  return Object.fromEntries(
    grades.flatMap((grade) => {
      const count = found.get(grade) ?? 0;
      return count > 0 ? [[grade, count]] : [];
    }),
  );
}
