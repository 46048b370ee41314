/** The interface of schedules: what runs by itself at given times, as those see and change it who own it. */
import type { Caller } from "../auth/port.ts";
import type { Body } from "../jobs/port.ts";
import type { FiringRecord, ScheduleRecord } from "../model/schedule.ts";

export interface SchedulePage {
  readonly schedules: ScheduleRecord[];
  /** The cursor of what follows; absent: this is the end. */
  readonly next: string | undefined;
}

export interface FiringPage {
  readonly firings: FiringRecord[];
  readonly next: string | undefined;
}

/**
 * A schedule belongs to the API key that made it, which alone sees it; admin keys that may reach all hosts see all.
 * `name` is its id or, of the caller's own, its name. All throw ServiceError: Forbidden for a scope that the key has not,
 * NotFound, Unavailable when the store does not answer, and what each names itself.
 */
export interface Schedules {
  /** The newest first. Scope `read`. */
  list(caller: Caller, page: { limit: number; cursor?: string }): Promise<SchedulePage>;
  /** With its next ten firings. Scope `read`. */
  read(name: string, caller: Caller): Promise<ScheduleRecord>;
  /**
   * Scope `operate`; of kind `sync` scope `admin` of a key that may reach all hosts.
   * @throws ServiceError Validation (also: a secret stands in the request), PayloadTooLarge (it is too long, or there are
   * too many)
   */
  add(body: Body, caller: Caller): Promise<ScheduleRecord>;
  /** All of it anew. @throws ServiceError as `add` */
  replace(name: string, body: Body, caller: Caller): Promise<ScheduleRecord>;
  /** The fields that are given; null takes one away. @throws ServiceError as `add` */
  change(name: string, body: Body, caller: Caller): Promise<ScheduleRecord>;
  remove(name: string, caller: Caller): Promise<string>;
  pause(name: string, caller: Caller): Promise<ScheduleRecord>;
  /** From now on: what was due meanwhile was not missed. */
  resume(name: string, caller: Caller): Promise<ScheduleRecord>;
  /** Fires now, beside its times. @throws ServiceError BusinessFailure (it was stopped) */
  run(name: string, caller: Caller): Promise<FiringRecord>;
  /** The newest first. Scope `read`. */
  firings(name: string, caller: Caller, page: { limit: number; cursor?: string }): Promise<FiringPage>;
  /** The next ten firings of a body that is not kept. Scope `read`. */
  preview(body: Body, caller: Caller): { next: string[] };
}
