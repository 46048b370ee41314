/** Detached tasks: work on servers that outlives its job, with the data needed to find it again. */

import type { DetachedTaskState } from "../../api/jobs/detached.ts";
import type { Submitter, SubmitterCondition } from "../../api/jobs/job.ts";
import type { DetachedTaskRow } from "../tables/jobs.ts";

/** Its id is that of its job; payload and request are JSON texts, encrypted by the store. */
export interface NewDetachedTask
  extends Pick<DetachedTaskRow, "id" | "host" | "hostKey" | "driver" | "caller"> {
  readonly payload: string;
  readonly asked: string;
  /** Time until its first status check. */
  readonly dueInMs: number;
}

/** Times ending in `At` are wall clock, in ms since 1970. */
export interface StoredDetachedTask extends Omit<DetachedTaskRow, "payload" | "asked" | "dueT"> {
  readonly submitterKind: Submitter["kind"];
  readonly submitter: string;
  /** JSON text; null if it can no longer be decrypted. */
  readonly payload: string | null;
  readonly asked: string | null;
}

export interface SeenDetachedTask
  extends Pick<DetachedTaskRow, "state" | "exitStatus" | "startedAt" | "endedAt"> {
  readonly dueInMs: number;
}

export interface DetachedLimits {
  readonly inAll: number;
  readonly perKey: number;
}

export interface DetachedTasks {
  /**
   * Recorded before the task is started; idempotent.
   * @returns false if the limits are reached and the task must not be started
   */
  begin(task: NewDetachedTask, limits: DetachedLimits): Promise<boolean>;

  /** Records the state that the server reported. An ended task stays ended. */
  note(id: string, observed: SeenDetachedTask): Promise<void>;

  /** Deletes it with its encrypted data. */
  forget(id: string): Promise<void>;

  find(id: string): Promise<StoredDetachedTask | undefined>;

  /** Newest first, without payloads. */
  page(
    conditions: {
      readonly hostKey?: string | undefined;
      readonly state?: DetachedTaskState | undefined;
      readonly submitter?: SubmitterCondition | undefined;
      readonly beforeId?: string | undefined;
    },
    limit: number,
  ): Promise<StoredDetachedTask[]>;

  /** Claims tasks that are due for a status check; no node claims them again within `againInMs`. */
  takeDue(againInMs: number, limit: number): Promise<StoredDetachedTask[]>;
}
