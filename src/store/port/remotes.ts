/** Git repositories that good versions are pushed to, and the versions in the order in which they are written there. */
import type { SubmitterCondition } from "../../api/jobs/job.ts";
import type { ConfigNameRow, ConfigRemoteRow } from "../tables/history.ts";
import type { StoredConfigVersion } from "./history.ts";
import type { Actor, StoredWriter } from "./trail.ts";

/** Times are milliseconds since 1970. */
export type StoredRemote = Omit<ConfigRemoteRow, "nextT">;
export interface ListedRemote extends StoredRemote, StoredWriter {}
export type StoredConfigName = ConfigNameRow;

/** What a push came to. */
export interface RemotePushed {
  readonly name: string;
  /** The definition that was pushed by: a newer one starts anew. */
  readonly own: string;
  /** All versions up to this one are there; as it was if the push failed. */
  readonly pushedN?: number | undefined;
  readonly head?: string | null | undefined;
  /** Why it failed. */
  readonly error?: string | undefined;
  /** When it is due again, if nothing new comes earlier. */
  readonly againMs: number;
}

export interface ConfigRemotes {
  /** By name; those that somebody wrote, or all. */
  list(writtenBy?: SubmitterCondition): Promise<ListedRemote[]>;
  get(name: string): Promise<ListedRemote | undefined>;
  /** A changed definition is pushed from the beginning. @returns `full`: there are as many as may be */
  put(
    remote: { readonly name: string; readonly own: string; readonly owner: string },
    by: Actor,
  ): Promise<"added" | "changed" | "full">;
  /** @returns whether it existed */
  remove(name: string, by: Actor): Promise<boolean>;
  /** One that has versions to push and is due, for this node alone for that time. @param name even if it is not due */
  claim(forMs: number, name?: string): Promise<StoredRemote | undefined>;
  settle(pushed: RemotePushed): Promise<void>;
  /** Number of the newest good version; 0: there is none. */
  newestN(): Promise<number>;
  /** Number of good versions after that one. */
  countAfter(n: number): Promise<number>;
  /**
   * Good versions after that one, in the order in which they were stored; without those that were older than another
   * one of their device and part when they were stored.
   */
  exported(afterN: number, limit: number): Promise<StoredConfigVersion[]>;
  /** Names of devices, by device and `since`. */
  names(devices: readonly number[]): Promise<StoredConfigName[]>;
  /** Whether another device was given this name and group after `after` and up to `upTo`. */
  isNameTaken(name: StoredConfigName, upTo: number): Promise<boolean>;
  /** The newest exported version of a device and part before that one. */
  exportedBefore(version: StoredConfigVersion): Promise<StoredConfigVersion | undefined>;
}
