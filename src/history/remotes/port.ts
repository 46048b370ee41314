/** The interface of Git remotes and exports of the history. */
import type { WriterFilter } from "../../api/filters.ts";
import type { RemoteRecord } from "../../api/history/history-remote.ts";
import type { Caller } from "../../auth/port.ts";
import type { KeptRecord } from "../git/commit.ts";

export type { KeptRecord } from "../git/commit.ts";

/** What a remote has after it was pushed to, or fetched from. */
export interface ReachedRemote {
  /** Null: nothing. */
  readonly head: string | null;
}

/** A repository of this node and where it goes. */
export interface RemoteWork {
  readonly does: "push" | "fetch";
  readonly path: string;
  /** The commit that is pushed. */
  readonly head: string;
  readonly url: string;
  readonly branch: string;
  readonly verify: boolean;
  readonly credential?: Record<string, unknown> | undefined;
  readonly authorities?: string | undefined;
  readonly hostKey?: string | undefined;
}

/** Runs on a device thread, on behalf of the key that wrote the remote. @throws ServiceError */
export type ReachRemote = (work: RemoteWork, owner: Caller, signal: AbortSignal) => Promise<ReachedRemote>;

/**
 * Writing needs the scope `admin`, reading and exports the right `history`; as they concern all devices, a key with a
 * limited reach may not. All throw ServiceError Forbidden, Unavailable, besides what each lists.
 */
export interface Remotes {
  list(caller: Caller, filter?: WriterFilter): Promise<RemoteRecord[]>;
  /** @throws ServiceError NotFound */
  read(name: string, caller: Caller): Promise<RemoteRecord>;
  /** @throws ServiceError Validation, TooManyRequests */
  put(
    name: string,
    body: unknown,
    caller: Caller,
  ): Promise<{ readonly record: RemoteRecord; readonly added: boolean }>;
  /** What was pushed stays there. @throws ServiceError NotFound */
  remove(name: string, caller: Caller): Promise<void>;
  /** Pushes now. @throws ServiceError NotFound, InProgress, BusinessFailure: it failed, with the reason */
  push(name: string, caller: Caller, signal: AbortSignal): Promise<RemoteRecord>;
  /**
   * A Git bundle of all versions, or of those of a group.
   * @throws ServiceError NotFound: there are none; TooManyRequests
   */
  bundle(group: string | undefined, caller: Caller, signal: AbortSignal): Promise<AsyncGenerator<Uint8Array>>;
  /**
   * Commits a record to a branch of a remote that only grows, in a file of its own, and pushes it.
   * @throws ServiceError Conflict: the branch has commits that this service did not push; NotFound, Forbidden, CommandError
   */
  keep(name: string, branch: string, record: KeptRecord): Promise<void>;
  /** Pushes what is due. @returns whether there may be more */
  pushDue(): Promise<boolean>;
  /** Ends what runs. */
  stop(): Promise<void>;
}
