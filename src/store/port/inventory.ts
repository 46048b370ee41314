/** Devices and groups, what was learned of them by connecting, their sources, and their host keys. */
import type { EntryKind } from "../../api/inventory/inventory.ts";
import type { SubmitterCondition } from "../../api/jobs/job.ts";
import type { HostKeyRow } from "../tables/access.ts";
import type { Opened } from "../tables/columns.ts";
import type { FactsRow } from "../tables/inventory.ts";
import type { Actor, NewAuditEntry, StoredWriter } from "./trail.ts";

/** A device or group to write. */
export interface NewInventoryEntry {
  /** Its name in lower case. */
  readonly key: string;
  /** Canonical host of a device; empty for a group. */
  readonly hostKey: string;
  /** The group of a device, or the parent of a group. */
  readonly group: string | null;
  /** The inventory source that created it. */
  readonly source: string | null;
  /** JSON text of the whole entry; null removes it. */
  readonly own: string | null;
}

export interface StoredInventoryEntry extends NewInventoryEntry {
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
  /** It was encrypted with another master key or is damaged; `own` is null. */
  readonly damaged: boolean;
}

export interface InventoryPage {
  /** Revision of the inventory when the page was read. */
  readonly revision: number;
  /** Removals up to this revision are no longer listed. */
  readonly purged: number;
  readonly entries: readonly StoredInventoryEntry[];
}

export interface InventoryWrite {
  /** Expected current revision; the write fails on any other (optimistic locking). */
  readonly expected: number;
  readonly devices: readonly NewInventoryEntry[];
  readonly groups: readonly NewInventoryEntry[];
  readonly by: Actor;
  readonly audit: readonly Omit<NewAuditEntry, "caller">[];
}

/** Devices and groups as submitted: encrypted, each with the inventory revision that last changed it. */
export interface InventoryStore {
  /** Increases by one with each write. */
  revision(): Promise<number>;

  /** Entries written or removed after a position, ordered by revision and key. */
  changed(
    kind: EntryKind,
    behind: { readonly revision: number; readonly key?: string | undefined },
    limit: number,
  ): Promise<InventoryPage>;

  /**
   * Writes everything, with audit entries, in one transaction.
   * @returns the new revision; undefined if the inventory is no longer at the expected one
   */
  write(write: InventoryWrite): Promise<number | undefined>;
}

/** By the device's lower-case name; null leaves a field unchanged. Facts are JSON text. */
export interface NewObservation extends Opened<Omit<FactsRow, "name" | "factsAt" | "revision">> {
  readonly key: string;
}

export interface StoredObservation extends NewObservation, Pick<FactsRow, "factsAt" | "revision"> {}

export type HostKeySeen = Omit<HostKeyRow, "seenAt">;

/**
 * Facts learned by connecting to devices of the inventory. Stored apart from the inventory entry and deleted with it.
 */
export interface Observations {
  /**
   * One statement for a few hundred devices. Devices not in the inventory, and observations older than the stored ones,
   * are ignored.
   */
  write(observations: readonly NewObservation[]): Promise<void>;

  /** Sightings of these devices, if any. */
  of(keys: readonly string[]): Promise<StoredObservation[]>;

  /** Discovered devices after a revision, ordered by revision; may exceed the limit if one write discovered many. */
  discovered(behind: number, limit: number): Promise<StoredObservation[]>;

  /** Number of discovered devices. */
  countDiscovered(): Promise<number>;

  /** Host keys learned over direct connections. */
  hostKeys(hosts: readonly string[]): Promise<HostKeySeen[]>;
}

export interface NewSource {
  /** Its name in lower case. */
  readonly key: string;
  /** JSON text of the whole source. */
  readonly own: string;
}

export interface StoredSource extends NewSource, StoredWriter {
  /** Milliseconds since 1970. */
  readonly changedAt: number;
  /** JSON texts, newest first. */
  readonly runs: readonly string[];
}

/** Expected stored `own`; null: no such source exists. Undefined: any. */
export type ExpectedSource = string | null | undefined;

/** Inventory sources and the results of their last runs. They contain no secrets: credentials are references. */
export interface InventorySources {
  /**
   * Adds or replaces it, with its audit entry. `full`: the limit is reached; `moved`: the stored source is not the
   * expected one and stays.
   */
  put(
    source: NewSource,
    by: Actor,
    expected?: ExpectedSource,
  ): Promise<"added" | "changed" | "full" | "moved">;
  /** By name; those that somebody wrote, or all. */
  list(writtenBy?: SubmitterCondition): Promise<StoredSource[]>;
  get(key: string): Promise<StoredSource | undefined>;
  /** @returns whether the expected source existed */
  remove(key: string, by: Actor, expected?: ExpectedSource): Promise<boolean>;
  /** Records a finished run; the newest are kept. Does nothing if the source is gone. */
  addRun(key: string, run: string, entry: NewAuditEntry): Promise<void>;
}

export interface KnownHostKey {
  readonly type: string;
  readonly fingerprint: string;
}

export interface StoredHostKey extends KnownHostKey {
  readonly host: string;
  readonly port: number;
  readonly route: readonly string[];
  /** In ms since 1970. */
  readonly seenAt: number;
  /** The key presented last in place of it. */
  readonly offered: (KnownHostKey & { readonly seenAt: number }) | null;
}

/**
 * `route`: jump hosts on the way to the host, outermost first. A key learned over a route is valid for that route only.
 */
export interface HostKeys {
  /** Keys seen on this route and on the direct one; for a direct connection, only on the direct one. */
  known(host: string, port: number, route?: readonly string[]): Promise<KnownHostKey[]>;

  /** Stores the first key of a type, with an audit entry; never replaces an existing one. */
  learn(host: string, port: number, key: KnownHostKey, route?: readonly string[]): Promise<void>;

  /** Notes the key that a host presented in place of a known one; the last one replaces earlier ones. */
  offer(host: string, port: number, key: KnownHostKey, route?: readonly string[]): Promise<void>;

  /** By host and port; at most 100,000. */
  list(): Promise<StoredHostKey[]>;

  /**
   * Replaces the known keys with the one that the host presented, on each route where it presented that one, with an
   * audit entry.
   * @returns on how many routes
   */
  accept(host: string, fingerprint: string, port: number | undefined, by: Actor): Promise<number>;

  /**
   * For a replaced device; covers all routes. With an audit entry.
   * @returns how many keys were deleted
   */
  forget(host: string, port: number | undefined, by: Actor): Promise<number>;
}
