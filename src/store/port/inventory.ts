/** Devices and groups as they were written: sealed, each with the revision of the inventory that changed it last. */
import type { EntryKind } from "../../model/inventory.ts";
import type { Actor, NewAuditEntry } from "./audit.ts";

/** What is written of a device or group. */
export interface NewInventoryEntry {
  /** Its name in small letters. */
  readonly key: string;
  /** Of a device: whom it is, in canonical form; of a group empty. */
  readonly hostKey: string;
  /** The group that it is in, or the one above it. */
  readonly group: string | null;
  /** Which source brought it. */
  readonly source: string | null;
  /** JSON text of all of it; null: it is removed. */
  readonly own: string | null;
}

export interface StoredInventoryEntry extends NewInventoryEntry {
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
  /** It was sealed with another master key, or damaged; `own` is null. */
  readonly damaged: boolean;
}

export interface InventoryPage {
  /** Of the inventory when the page was read. */
  readonly revision: number;
  /** Removals up to this revision are no longer told. */
  readonly purged: number;
  readonly entries: readonly StoredInventoryEntry[];
}

export interface InventoryWrite {
  /** It is written only onto this revision. */
  readonly expected: number;
  readonly devices: readonly NewInventoryEntry[];
  readonly groups: readonly NewInventoryEntry[];
  readonly by: Actor;
  readonly audit: readonly Omit<NewAuditEntry, "caller">[];
}

export interface InventoryStore {
  /** Grows by one with each write. */
  revision(): Promise<number>;

  /** Entries that were written or removed behind a place, by revision and key. */
  changed(
    kind: EntryKind,
    behind: { readonly revision: number; readonly key?: string | undefined },
    limit: number,
  ): Promise<InventoryPage>;

  /**
   * All of it with its audit entries in one transaction, or nothing.
   * @returns the revision that it made; undefined: the inventory is not at the expected one any more.
   */
  write(write: InventoryWrite): Promise<number | undefined>;
}
