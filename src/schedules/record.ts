/** API records of schedules and firings. */
import type { BulkResult } from "../api/jobs/bulk.ts";
import {
  type FiringRecord,
  readableSpec,
  type ScheduleRecord,
  workMemberOf,
} from "../api/schedules/schedule.ts";
import type { StoredFiring, StoredSchedule } from "../store/port.ts";

export interface OwnerFacts {
  readonly kind: "key" | "person";
  readonly name: string;
  readonly scope: string;
  readonly inForce: boolean;
}

export interface Shown {
  readonly request: string | null | undefined;
  readonly owner: OwnerFacts | undefined;
  readonly last: StoredFiring | undefined;
  /** Of the bulks of firings, by id. */
  readonly results: ReadonlyMap<string, BulkResult>;
  readonly next: readonly number[];
}

export const keyIsGone =
  "its API key was revoked or has expired, or its person is blocked or has no role any more";

/** For the operator: which fields, and what to do about them. */
export const unreadableText = (fields: readonly string[]) =>
  `this version of Patchbay cannot read its ${fields.join(", ")}: another version wrote it, or its time zone is unknown on this machine. Update this node, or create the schedule again`;

export function toScheduleRecord(
  stored: StoredSchedule,
  { request, owner, last, results, next }: Shown,
  iso: (ms: number) => string,
): ScheduleRecord {
  const { fields, unreadable } = readableSpec(stored.spec);
  const { what, overlap, missed, ...times } = fields;
  const isOwnerGone = stored.state === "active" && owner?.inForce !== true;
  const isStopped = isOwnerGone || (stored.state === "active" && unreadable.length > 0);
  const why = isOwnerGone ? keyIsGone : unreadable.length > 0 ? unreadableText(unreadable) : stored.why;
  const record: ScheduleRecord = {
    id: stored.id,
    name: stored.name,
    enabled: stored.state !== "paused",
    state: isStopped ? "stopped" : stored.state,
    ...(why === null ? {} : { why }),
    ...present(times),
    what: {
      ...(what ? { kind: what.kind } : {}),
      ...(what?.source ? { source: what.source } : {}),
      ...(what && request ? { [workMemberOf(what.kind)]: JSON.parse(request) } : {}),
    },
    ...(overlap ? { overlap } : {}),
    ...(missed ? { missed: { policy: missed.policy, most: missed.most } } : {}),
    owner: {
      kind: owner?.kind ?? "key",
      key_id: stored.owner,
      name: owner?.name ?? "",
      scope: owner?.scope ?? "",
    },
    created_at: iso(stored.createdAt),
    changed_at: iso(stored.changedAt),
    revision: stored.revision,
    next: isStopped ? [] : next.map(iso),
    last: last === undefined ? null : toFiringRecord(last, results, iso),
  };
  return record;
}

export function toFiringRecord(
  firing: StoredFiring,
  results: ReadonlyMap<string, BulkResult>,
  iso: (ms: number) => string,
): FiringRecord {
  const { dueAt, firedAt, status, manual, bulkId, reason } = firing;
  const result = bulkId === null ? undefined : results.get(bulkId);
  return {
    due_at: iso(dueAt),
    fired_at: firedAt === null ? null : iso(firedAt),
    status,
    ...(manual ? { manual } : {}),
    ...(bulkId === null ? {} : { bulk_id: bulkId }),
    result,
    ...(reason === null ? {} : { reason }),
  };
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

function present<T extends object>(value: T): Present<T> {
  const entries = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  // Null and undefined members have just been removed.
  return Object.fromEntries(entries) as Present<T>;
}
