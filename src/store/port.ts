/**
 * The interface of the store, one sub-interface per aspect; each implementation is a folder beside this file. Every
 * write is one transaction and idempotent: it can be sent again after a lost response. Secrets (payloads, results,
 * requests, responses, webhooks) are encrypted before they are written.
 *
 * Every method may throw ServiceError Unavailable, with `detail.retryAfter` in seconds, if the store times out (2.5
 * seconds unless stated otherwise), is full or is locked. `detail.ambiguous` is set if the write may have been applied.
 * Error messages never contain parameters of the statement.
 */

import type { Credentials, Keys, LoginRequests, LoginSessions, Persons, Roles } from "./port/access.ts";
import type { Bulks } from "./port/bulks.ts";
import type { Changes } from "./port/changes.ts";
import type { DetachedTasks } from "./port/detached.ts";
import type { Documents } from "./port/documents.ts";
import type { ConfigHistory, ConfigRemotes } from "./port/history.ts";
import type { Intents } from "./port/intent.ts";
import type { HostKeys, InventorySources, InventoryStore, Observations } from "./port/inventory.ts";
import type { Idempotency, Jobs, KeptRequests } from "./port/jobs.ts";
import type { Ledger } from "./port/ledger.ts";
import type { Hooks, Recipes } from "./port/recipes.ts";
import type { LineEvidence } from "./port/rehearsal.ts";
import type { Schedules } from "./port/schedules.ts";
import type { Audit, EventLog, Transcripts } from "./port/trail.ts";
import type { Clock, DamagedRows, DirectoryIdentity, Ownership, Retention, Rotation } from "./port/upkeep.ts";
import type { Deliveries, Webhooks } from "./port/webhooks.ts";
import type { Claims, HeldJobs, Nodes, Pacing, Polls, Recovery, Settlements, Workers } from "./port/work.ts";

export type * from "./port/access.ts";
export type * from "./port/bulks.ts";
export * from "./port/changes.ts";
export * from "./port/claim-order.ts";
export type * from "./port/detached.ts";
export type * from "./port/documents.ts";
export type * from "./port/history.ts";
export type * from "./port/intent.ts";
export type * from "./port/inventory.ts";
export type * from "./port/jobs.ts";
export type * from "./port/ledger.ts";
export type * from "./port/recipes.ts";
export type * from "./port/rehearsal.ts";
export type * from "./port/schedules.ts";
export type * from "./port/trail.ts";
export type * from "./port/upkeep.ts";
export * from "./port/webhooks.ts";
export type * from "./port/work.ts";

/** `reason` of the error with which a store that was encrypted with another key is not opened. */
export const otherMasterKey = "OtherMasterKey";

export interface Store {
  readonly jobs: Jobs;
  readonly bulks: Bulks;
  readonly idempotency: Idempotency;
  readonly claims: Claims;
  readonly settlements: Settlements;
  readonly held: HeldJobs;
  readonly events: EventLog;
  readonly pacing: Pacing;
  readonly kept: KeptRequests;
  readonly nodes: Nodes;
  readonly polls: Polls;
  readonly recovery: Recovery;
  readonly deliveries: Deliveries;
  readonly workers: Workers;
  readonly detached: DetachedTasks;
  readonly keys: Keys;
  readonly persons: Persons;
  readonly roles: Roles;
  readonly loginSessions: LoginSessions;
  readonly loginRequests: LoginRequests;
  readonly credentials: Credentials;
  readonly inventory: InventoryStore;
  readonly observations: Observations;
  readonly sources: InventorySources;
  readonly hostKeys: HostKeys;
  readonly schedules: Schedules;
  readonly changes: Changes;
  readonly recipes: Recipes;
  readonly hooks: Hooks;
  readonly templates: Documents;
  readonly audit: Audit;
  readonly transcripts: Transcripts;
  readonly ledger: Ledger;
  readonly evidence: LineEvidence;
  readonly history: ConfigHistory;
  readonly remotes: ConfigRemotes;
  readonly intents: Intents;
  readonly webhooks: Webhooks;
  readonly retention: Retention;
  readonly rotation: Rotation;
  readonly clock: Clock;
  readonly home: DirectoryIdentity;
  /** Upgrades of a newer program that the database has had since it was opened; this program does not know them. */
  newer(): Promise<readonly string[]>;
  /** Lock on the data directory. Release it after `close`. */
  readonly ownership: Ownership;
  /** Whether several nodes can use it at the same time. */
  readonly shared: boolean;

  /** Creates a UUIDv7, ordered by time and, within a process, by creation. */
  makeId(): string;

  /** Keyed hash (HMAC), only for testing two texts for equality. */
  fingerprint(text: string): string;

  /** Whether the hash is of this text, under the current master key or a former one. */
  isFingerprint(hash: string, text: string): boolean;

  /** Test write for health checks, with a timeout of 2 seconds. */
  probe(): Promise<void>;

  /**
   * Looks through all tables for rows that do not match the schema; takes seconds for a million rows.
   * @param limit of the rows that are named; all are counted
   */
  damagedRows(limit: number): Promise<DamagedRows>;

  /**
   * Why something that was acknowledged may be lost when a machine is: what the server would have to be set to. Empty if
   * nothing can be.
   */
  doubts(): Promise<readonly string[]>;

  /** The storage is full: only writes that end jobs or free space are accepted. */
  full(): boolean;

  /**
   * Writes a complete copy; encrypted values stay encrypted. Blocks the event loop, so only a command calls it, never
   * the service.
   * @throws ServiceError BadRequest for a libSQL server, which has its own backups
   */
  backup(path: string): Promise<void>;

  /** Rejects new calls, and resolves when all pending writes are done. */
  close(): Promise<void>;
}
