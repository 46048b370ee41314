/** The interface of jobs, as far as it reads and cancels bulks. */
import type { Caller } from "../auth/port.ts";
import type { BulkDetail, BulkFilter, BulkRecord } from "../model/bulk.ts";

export interface BulkReading {
  /**
   * Bulks of which the caller may see a job, newest first, each with the counts of those that it may see.
   * @throws ServiceError BadRequest (a cursor whose bulk is gone), Validation (a time that is none)
   */
  bulks(filter: BulkFilter, caller: Caller, page: { limit: number; cursor?: string }): Promise<BulkPage>;
  /** @throws ServiceError NotFound */
  bulkRecord(id: string, caller: Caller): Promise<BulkDetail>;
  /**
   * Cancels what waits of a bulk and, by `force`, stops what runs: of a limited key only jobs that it may see. Scope
   * `operate`.
   * @param signal as of `cancel`.
   * @throws ServiceError NotFound
   */
  cancelBulk(id: string, force: boolean, caller: Caller, signal?: AbortSignal): Promise<CancelledBulk>;
}

export interface BulkPage {
  readonly bulks: BulkRecord[];
  /** The cursor of what follows; absent: this is the end. */
  readonly next: string | undefined;
}

export interface CancelledBulk {
  /** Jobs that waited. */
  cancelled: number;
  /** Jobs that run and were asked to stop. */
  stopping: number;
}
