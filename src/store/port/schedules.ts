/**
 * Schedules and their firings. A firing is one row for a schedule and a time: it is claimed in the transaction that moves
 * the schedule on, under the lease of a node, and another node finishes it where that one died. What is due is decided
 * by the wall clock of the store, which on a server is the same for all nodes.
 */
import type { FiringStatus, Overlap, ScheduleState } from "../../model/schedule.ts";
import type { Actor } from "./audit.ts";
import type { NodeFence } from "./nodes.ts";

/** A time of a schedule, and when it fires; wall clock, in ms since 1970. */
export interface DueTime {
  readonly dueAt: number;
  readonly fireAt: number;
}

/** What can be changed of a schedule. */
export interface ScheduleValues {
  readonly name: string;
  readonly state: ScheduleState;
  readonly why: string | null;
  /** JSON text, without the request. */
  readonly spec: string;
  /** JSON text; sealed by the store. */
  readonly request: string | null;
  readonly anchor: number;
  readonly next: DueTime | undefined;
}

export interface NewSchedule extends ScheduleValues {
  readonly id: string;
  /** Id of the API key. */
  readonly owner: string;
}

/** Without its request, which only who shows or submits it needs. */
export interface StoredSchedule extends Omit<ScheduleValues, "request"> {
  readonly id: string;
  readonly owner: string;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly revision: number;
}

export interface StoredFiring {
  readonly scheduleId: string;
  readonly dueAt: number;
  readonly status: FiringStatus;
  readonly manual: boolean;
  readonly firedAt: number | null;
  readonly bulkId: string | null;
  readonly reason: string | null;
}

/** What was decided of one schedule that is due. */
export interface ScheduleStep {
  readonly id: string;
  readonly revision: number;
  /** The time that it was decided from: another one is there when somebody else was faster. */
  readonly pending: DueTime;
  readonly firings: readonly {
    readonly dueAt: number;
    readonly does: "fire" | "missed";
    readonly overlap: Overlap;
    readonly reason?: string | undefined;
  }[];
  /** Undefined: it has ended. */
  readonly next: DueTime | undefined;
}

/** A firing that this node is to submit. */
export interface TakenFiring {
  readonly scheduleId: string;
  readonly dueAt: number;
  readonly owner: string;
  readonly overlap: Overlap;
  readonly spec: string;
  readonly request: string | null;
  /** The request can not be opened: it was sealed with another master key, or damaged. */
  readonly damaged: boolean;
  /** Bulk of the firing before it. */
  readonly lastBulk: string | null;
  /** How long ago it was first taken. */
  readonly ageMs: number;
}

export interface Schedules {
  /** With its audit entry. `taken`: the owner has one of that name; `full`: there are too many, of the owner or of all. */
  add(schedule: NewSchedule, by: Actor): Promise<"added" | "taken" | "full">;

  /**
   * With its audit entry. Firings that are under way keep what they were taken for.
   * @returns `stale`: the schedule has another revision, or is gone.
   */
  change(
    id: string,
    revision: number,
    values: ScheduleValues,
    by: Actor,
    action: string,
  ): Promise<"changed" | "taken" | "stale">;

  /** With its firings, but for those that are under way. @returns whether it was there */
  remove(id: string, by: Actor): Promise<boolean>;

  find(id: string): Promise<StoredSchedule | undefined>;
  findNamed(owner: string, name: string): Promise<StoredSchedule | undefined>;
  requestOf(id: string): Promise<string | null>;

  /** The newest first, of one owner or of all. */
  page(owner: string | undefined, limit: number, beforeId?: string): Promise<StoredSchedule[]>;

  /** The newest firing of each. */
  lastFirings(ids: readonly string[]): Promise<Map<string, StoredFiring>>;

  /** The newest first. */
  firings(id: string, limit: number, beforeDue?: number): Promise<StoredFiring[]>;

  /** One small read: what there is to do, and when. */
  look(): Promise<{
    readonly now: number;
    /** Until a schedule is due; undefined: none will be. */
    readonly inMs: number | undefined;
    /** Firings that wait or are under way, of all nodes. */
    readonly open: number;
  }>;

  /**
   * Schedules that are due, and those that were set when the clock showed more than it does by an hour and more: it was
   * set back. The longest due first.
   */
  due(limit: number): Promise<{ readonly now: number; readonly schedules: StoredSchedule[] }>;

  /** Takes what was decided, where nobody else was faster and the lease of the node lasts. @returns what became of each that was taken. */
  step(node: NodeFence, steps: readonly ScheduleStep[]): Promise<FiringStatus[]>;

  /** A firing that somebody asked for, beside its times. @returns undefined: the schedule is gone */
  run(node: NodeFence, id: string, by: Actor): Promise<StoredFiring | undefined>;

  /**
   * Takes what waited and may go on, and what a dead node had taken.
   * @param less.but `<schedule>/<due>` of those that are under way, or put off: they take nobody's place.
   * @returns what else this node has to submit, in the order of their times.
   */
  take(node: NodeFence, limit: number, less?: { readonly but: readonly string[] }): Promise<TakenFiring[]>;

  /** Ends a firing, with its audit entry, if this node still has it. */
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

  /** Nothing of it fires any more, with its audit entry. @returns whether it was active until now */
  stop(id: string, revision: number, why: string, by: Actor): Promise<boolean>;
}
