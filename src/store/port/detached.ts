/** Detached tasks: work on servers that outlives its job, with what is needed to find it again. */
import type { DetachedTaskState } from "../../model/detached.ts";

export interface NewDetachedTask {
  /** That of its job. */
  readonly id: string;
  readonly host: string;
  /** The host's canonical name. */
  readonly hostKey: string;
  readonly driver: string;
  /** Id of the API key. */
  readonly caller: string;
  /** JSON texts; sealed by the store. */
  readonly payload: string;
  readonly asked: string;
  /** It is looked after when so much time has passed. */
  readonly dueInMs: number;
}

/** Times ending in `At` are wall clocks', in ms since 1970. */
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
  /** JSON text; null when it can not be opened any more. */
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
   * Before it is started; the same one again is no error.
   * @returns false where there are so many already that it must not be started.
   */
  begin(task: NewDetachedTask, limits: DetachedLimits): Promise<boolean>;

  /** What the server said of it. What is over stays over. */
  note(id: string, seen: SeenDetachedTask): Promise<void>;

  /** With what was sealed: nothing is kept of it. */
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

  /** Takes some that are due to be looked after, so that nobody else does before `againInMs` have passed. */
  takeDue(againInMs: number, limit: number): Promise<StoredDetachedTask[]>;
}
