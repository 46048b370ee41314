/** The part of the jobs interface that reads and cancels bulks. */

import type { BulkDetail, BulkFilter, BulkRecord, BulkResult, CancelledBulk } from "../../api/bulk.ts";
import type { Caller } from "../../auth/port.ts";

export interface BulkReading {
  /**
   * Bulks with at least one job visible to the caller, newest first, with counts of the visible jobs.
   * @throws ServiceError BadRequest (the bulk of the cursor is gone), Validation (an invalid time)
   */
  bulks(filter: BulkFilter, caller: Caller, page: { limit: number; cursor?: string }): Promise<BulkPage>;
  /** @throws ServiceError NotFound */
  bulkRecord(id: string, caller: Caller): Promise<BulkDetail>;
  /** Of all jobs of each bulk, for a caller that may see them. Bulks whose jobs were deleted are omitted. */
  bulkResults(ids: readonly string[]): Promise<Map<string, BulkResult>>;
  /**
   * Cancels waiting jobs of a bulk and, with `force`, stops running ones; only jobs visible to the caller. Scope
   * `operate`.
   * @param signal as in `cancel`.
   * @throws ServiceError NotFound
   */
  cancelBulk(id: string, force: boolean, caller: Caller, signal?: AbortSignal): Promise<CancelledBulk>;
}

export interface BulkPage {
  readonly bulks: BulkRecord[];
  /** Cursor of the next page; undefined at the end. */
  readonly next: string | undefined;
}
