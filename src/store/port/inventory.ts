/** Devices and groups as submitted: encrypted, each with the inventory revision that last changed it. */
import type { EntryKind } from "../../api/inventory.ts";
import type { Actor, NewAuditEntry } from "./audit.ts";

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
