/** API records of schedules and firings. */
import { type FiringRecord, readSpec, type ScheduleRecord } from "../model/schedule.ts";
import type { StoredFiring, StoredSchedule } from "../store/port.ts";

export interface OwnerFacts {
  readonly name: string;
  readonly scope: string;
  readonly inForce: boolean;
}

export interface Shown {
  readonly request: string | null | undefined;
  readonly owner: OwnerFacts | undefined;
  readonly last: StoredFiring | undefined;
  readonly next: readonly number[];
}

export const keyIsGone = "its API key was revoked or has expired";

export function toScheduleRecord(
  stored: StoredSchedule,
  { request, owner, last, next }: Shown,
  iso: (ms: number) => string,
): ScheduleRecord {
  const spec = readSpec(stored.spec);
  const { what, overlap, missed, ...times } = spec;
  const gone = stored.state === "active" && owner?.inForce !== true;
  const why = gone ? keyIsGone : stored.why;
  const part = what.kind === "discover" ? "discover" : "request";
  const record: ScheduleRecord = {
    id: stored.id,
    name: stored.name,
    enabled: stored.state !== "paused",
    state: gone ? "stopped" : stored.state,
    ...(why === null ? {} : { why }),
    ...present(times),
    what: {
      kind: what.kind,
      ...(what.source ? { source: what.source } : {}),
      ...(request ? { [part]: JSON.parse(request) } : {}),
    },
    overlap,
    missed: { policy: missed.policy, most: missed.most },
    owner: { key_id: stored.owner, name: owner?.name ?? "", scope: owner?.scope ?? "" },
    created_at: iso(stored.createdAt),
    changed_at: iso(stored.changedAt),
    next: gone ? [] : next.map(iso),
    last: last === undefined ? null : toFiringRecord(last, iso),
  };
  return record;
}

export function toFiringRecord(firing: StoredFiring, iso: (ms: number) => string): FiringRecord {
  const { dueAt, firedAt, status, manual, bulkId, reason } = firing;
  return {
    due_at: iso(dueAt),
    fired_at: firedAt === null ? null : iso(firedAt),
    status,
    ...(manual ? { manual } : {}),
    ...(bulkId === null ? {} : { bulk_id: bulkId }),
    ...(reason === null ? {} : { reason }),
  };
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

function present<T extends object>(value: T): Present<T> {
  const given = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  // Null and undefined members have just been removed.
  return Object.fromEntries(given) as Present<T>;
}
