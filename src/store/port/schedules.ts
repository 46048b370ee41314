/**
 * Schedules and their firings. A firing is one row per schedule and time. It is claimed in the transaction that
 * advances the schedule, under the lease of a node; if that node dies, another one finishes it. The wall clock of the
 * store decides what is due; on a server it is the same for all nodes.
 */
import type { AuditAction } from "../../api/admin/audit.ts";
import type { SubmitterCondition } from "../../api/jobs/job.ts";
import type { FiringStatus, Overlap } from "../../api/schedules/schedule.ts";
import type { Opened } from "../tables/columns.ts";
import type { FiringRow, ScheduleRow } from "../tables/schedules.ts";
import type { Actor } from "./trail.ts";
import type { NodeFence } from "./work.ts";

/** A time of a schedule, and when it fires; wall clock, in ms since 1970. */
export interface DueTime {
  readonly dueAt: number;
  readonly fireAt: number;
}

/** The fields of a schedule that can be changed. The request is JSON text, encrypted by the store. */
export interface ScheduleValues
  extends Opened<Pick<ScheduleRow, "name" | "state" | "why" | "spec" | "request" | "anchor">> {
  readonly next: DueTime | undefined;
}

export interface NewSchedule extends ScheduleValues, Pick<ScheduleRow, "id" | "owner"> {}

/** Without its request, which is only read to show or submit it. */
export interface StoredSchedule
  extends Omit<ScheduleValues, "request">,
    Pick<ScheduleRow, "id" | "owner" | "createdAt" | "changedAt" | "revision"> {}

export type StoredFiring = Pick<
  FiringRow,
  "scheduleId" | "dueAt" | "status" | "manual" | "firedAt" | "bulkId" | "reason"
>;

/** The decision about one due schedule. */
export interface ScheduleStep {
  readonly id: string;
  readonly revision: number;
  /** The due time that the decision is based on; the step is ignored if another node has changed it. */
  readonly pending: DueTime;
  readonly firings: readonly {
    readonly dueAt: number;
    readonly does: "fire" | "missed";
    readonly overlap: Overlap;
    readonly reason?: string | undefined;
  }[];
  /** Undefined if the schedule has ended. */
  readonly next: DueTime | undefined;
}

/** A firing for this node to submit. */
export interface TakenFiring extends Pick<FiringRow, "scheduleId" | "dueAt" | "owner" | "overlap"> {
  /** The schedule's name; its id if it is gone. */
  readonly name: string;
  readonly spec: string;
  readonly request: string | null;
  /** The request cannot be decrypted: it was encrypted with another master key or is damaged. */
  readonly damaged: boolean;
  /** Bulk of the previous firing. */
  readonly lastBulk: string | null;
  /** Time since it was first taken. */
  readonly ageMs: number;
}

export interface ScheduleConditions {
  /** Those of this key or person; those of a person include those of the person's keys. */
  readonly owner?: string | undefined;
  readonly submitter?: SubmitterCondition | undefined;
}

export interface Schedules {
  /**
   * Adds it, with its audit entry. `taken`: the owner has a schedule of that name; `full`: the limit per owner or in
   * total is reached.
   */
  add(schedule: NewSchedule, by: Actor): Promise<"added" | "taken" | "full">;

  /**
   * Changes it, with its audit entry, and passes it to `owner`. Firings in progress keep their values and their owner.
   * @returns `stale` if the schedule has another revision or is gone
   */
  change(
    id: string,
    revision: number,
    values: ScheduleValues & { readonly owner: string },
    by: Actor,
    action: AuditAction,
  ): Promise<"changed" | "taken" | "stale">;

  /**
   * Removes it with its firings, except those in progress.
   * @returns whether it existed
   */
  remove(id: string, by: Actor): Promise<boolean>;

  find(id: string): Promise<StoredSchedule | undefined>;
  /** Of the owner, or else of a key of the person who is the owner. */
  findNamed(owner: string, name: string): Promise<StoredSchedule | undefined>;
  /**
   * The schedule of this owner that submitted the bulk, whatever its name is now; if its firing does not name the bulk
   * yet, because the bulk ended before that was stored, the schedule of this name that is submitting.
   */
  findOfBulk(owner: string, bulkId: string, name: string): Promise<StoredSchedule | undefined>;
  requestOf(id: string): Promise<string | null>;

  /** Newest first. */
  page(conditions: ScheduleConditions, limit: number, beforeId?: string): Promise<StoredSchedule[]>;

  /** The latest firing of each. */
  lastFirings(ids: readonly string[]): Promise<Map<string, StoredFiring>>;

  /** Newest first. */
  firings(id: string, limit: number, beforeDue?: number): Promise<StoredFiring[]>;

  /** One cheap read: pending work and the next due time. */
  look(): Promise<{
    readonly now: number;
    /** Time until the next schedule is due; undefined if none will be. */
    readonly inMs: number | undefined;
    /** Waiting or running firings, of all nodes. */
    readonly open: number;
  }>;

  /**
   * Due schedules, longest overdue first, and those computed when the wall clock was at least an hour later: it was set
   * back since.
   */
  due(limit: number): Promise<{ readonly now: number; readonly schedules: StoredSchedule[] }>;

  /**
   * Applies decisions, each only if no other node was faster and this node's lease is valid.
   * @returns the status of each firing that was applied
   */
  step(node: NodeFence, steps: readonly ScheduleStep[]): Promise<FiringStatus[]>;

  /**
   * Fires a schedule on request, outside its times.
   * @returns undefined if the schedule is gone
   */
  run(node: NodeFence, id: string, by: Actor): Promise<StoredFiring | undefined>;

  /**
   * Takes waiting firings that may proceed, and those of dead nodes.
   * @param less.but `<schedule>/<due>` of firings in progress or deferred; they do not count towards the limit
   * @returns the firings this node has to submit, in the order of their times
   */
  take(node: NodeFence, limit: number, less?: { readonly but: readonly string[] }): Promise<TakenFiring[]>;

  /** Ends a firing, with its audit entry, if this node still holds it. */
  settle(
    node: NodeFence,
    firing: Pick<TakenFiring, "scheduleId" | "dueAt">,
    end: {
      readonly status: "submitted" | "done" | "missed" | "failed";
      readonly bulkId?: string | undefined;
      readonly reason?: string | undefined;
    },
    by: Actor,
  ): Promise<boolean>;

  /**
   * Deactivates the schedule, with an audit entry.
   * @returns whether it was active
   */
  stop(id: string, revision: number, why: string, by: Actor): Promise<boolean>;
}
