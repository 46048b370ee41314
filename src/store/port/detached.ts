/** Detached tasks: work on servers that outlives its job, with the data needed to find it again. */
import type { DetachedTaskState } from "../../api/detached.ts";

export interface NewDetachedTask {
  /** The id of its job. */
  readonly id: string;
  readonly host: string;
  /** The host's canonical name. */
  readonly hostKey: string;
  readonly driver: string;
  /** Id of the API key. */
  readonly caller: string;
  /** JSON texts; encrypted by the store. */
  readonly payload: string;
  readonly asked: string;
  /** Time until its first status check. */
  readonly dueInMs: number;
}

/** Times ending in `At` are wall clock, in ms since 1970. */
export interface StoredDetachedTask {
  readonly id: string;
  readonly host: string;
  readonly hostKey: string;
  readonly driver: string;
  readonly caller: string;
  readonly state: DetachedTaskState;
  readonly exitStatus: number | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly seenAt: number | null;
  /** JSON text; null if it can no longer be decrypted. */
  readonly payload: string | null;
  readonly asked: string | null;
}

export interface SeenDetachedTask {
  readonly state: DetachedTaskState;
  readonly exitStatus: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
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
      readonly beforeId?: string | undefined;
    },
    limit: number,
  ): Promise<StoredDetachedTask[]>;

  /** Claims tasks that are due for a status check; no node claims them again within `againInMs`. */
  takeDue(againInMs: number, limit: number): Promise<StoredDetachedTask[]>;
}
