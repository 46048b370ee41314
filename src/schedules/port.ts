/** The interface of schedules: requests submitted automatically at given times. */

import type { Body } from "../api/body.ts";
import type { FiringRecord, ScheduleRecord } from "../api/schedules/schedule.ts";
import type { Caller } from "../auth/port.ts";

export interface SchedulePage {
  readonly schedules: ScheduleRecord[];
  /** Cursor of the next page; undefined at the end. */
  readonly next: string | undefined;
}

export interface SchedulesAsked {
  readonly limit: number;
  readonly cursor?: string;
  /** `<name>`, `<kind>:<name>` or `me`; a key of a person counts as the person. */
  readonly submitted_by?: string;
}

export interface FiringPage {
  readonly firings: FiringRecord[];
  readonly next: string | undefined;
}

/**
 * A schedule belongs to the API key or person that created it and is visible only to it, to the person whose key it is,
 * and to admins without host limits.
 * `name` is its id or, for the caller's own schedules, its name. All methods throw ServiceError: Forbidden (scope),
 * NotFound, Unavailable when the store does not answer, besides what each lists.
 */
export interface Schedules {
  /** The newest first. Scope `read`. */
  list(caller: Caller, page: SchedulesAsked): Promise<SchedulePage>;
  /** With its next ten firings. Scope `read`. */
  read(name: string, caller: Caller): Promise<ScheduleRecord>;
  /**
   * Needs scope `operate`; kind `sync` needs scope `admin` and a key without host limits.
   * @throws ServiceError Validation (also if the request contains a secret), PayloadTooLarge (too long, or too many
   * schedules)
   */
  add(body: Body, caller: Caller): Promise<ScheduleRecord>;
  /**
   * Replaces the schedule.
   * @param revision the one that the caller has read; undefined: any
   * @throws ServiceError as `add`; PreconditionFailed (it has another revision)
   */
  replace(name: string, body: Body, caller: Caller, revision?: number): Promise<ScheduleRecord>;
  /** Changes the given fields; null removes one. @throws ServiceError as `replace` */
  change(name: string, body: Body, caller: Caller, revision?: number): Promise<ScheduleRecord>;
  remove(name: string, caller: Caller): Promise<string>;
  pause(name: string, caller: Caller): Promise<ScheduleRecord>;
  /** Resumes from now on; times due while paused are not counted as missed. */
  resume(name: string, caller: Caller): Promise<ScheduleRecord>;
  /** Fires now, in addition to its times. @throws ServiceError BusinessFailure (it was stopped) */
  run(name: string, caller: Caller): Promise<FiringRecord>;
  /** The newest first. Scope `read`. */
  firings(name: string, caller: Caller, page: { limit: number; cursor?: string }): Promise<FiringPage>;
  /** The next ten firings of a body, without storing it. Scope `read`. */
  preview(body: Body, caller: Caller): Promise<{ readonly next: readonly string[] }>;
}
