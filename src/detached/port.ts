/** The interface of detached tasks: those that jobs left running on servers. */

import type { DetachedTaskPiece, DetachedTaskRecord, DetachedTaskState } from "../api/jobs/detached.ts";
import type { Payload } from "../api/jobs/request.ts";
import type { Caller } from "../auth/port.ts";
import type { ClaimedJob, StoredDetachedTask } from "../store/port.ts";

/** What callers may do. All throw ServiceError: Forbidden, Unavailable when the store does not answer. */
export interface DetachedTasks {
  /** Detached tasks, newest first, with their last known state. Scope `read`. */
  detachedTasks(
    filter: { host?: string; state?: DetachedTaskState; submitted_by?: string },
    caller: Caller,
    page: { limit?: number; cursor?: string },
  ): Promise<{ tasks: DetachedTaskRecord[]; next: string | undefined }>;
  /**
   * Fetches the state of a task from its server, and its output from a byte offset. Scope `read`.
   * @throws ServiceError NotFound, TooManyRequests, BusinessFailure (the server gave no answer)
   */
  readDetachedTask(
    id: string,
    offset: number,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<DetachedTaskPiece>;
  /**
   * Stops a running task; removes an ended one, also from its server. Scope `operate`.
   * @param force removes the record even if the server cannot be reached.
   * @throws ServiceError as `readDetachedTask`
   */
  endDetachedTask(
    id: string,
    force: boolean,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<DetachedTaskRecord & { removed: boolean }>;
}

/** Access to detached tasks: recorded before they start, and queried at their servers. */
export interface DetachedAccess {
  readonly keptMs: number;
  /** Records a task before the job sends anything; no-op for other jobs. @throws ServiceError DriverError: too many */
  begin(job: ClaimedJob, payload: Payload): Promise<void>;
  /** Its job has succeeded. */
  started(id: string): Promise<void>;
  /**
   * Logs in with the sealed connection. @throws ServiceError the failure at the server
   * @param by.key of the caller; undefined: the service, with the key that started it. @returns undefined if removed
   */
  ask(
    task: StoredDetachedTask,
    action: DetachedAction,
    by: { readonly signal: AbortSignal; readonly key?: Pick<Caller, "keyId" | "hosts" | "credentials"> },
  ): Promise<FoundDetachedTask | undefined>;
}

/** `look` reads output from a byte offset; `remove` deletes its files from the server. */
export type DetachedAction =
  | { do: "look"; offset: number; maxBytes: number }
  | { do: "stop" }
  | { do: "remove" };

export interface FoundDetachedTask {
  readonly state: DetachedTaskState;
  readonly exitStatus: number | null;
  /** In ms since 1970, by the clock of the server. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Total output size in bytes. */
  readonly size: number;
  /** With secrets masked. */
  readonly output: string;
  readonly nextOffset: number;
}
