/** Sources of the inventory and what came of their last runs. They hold no secrets: credentials are references. */
import type { Actor, NewAuditEntry } from "./audit.ts";

export interface NewSource {
  /** Its name in small letters. */
  readonly key: string;
  /** JSON text of all of it. */
  readonly own: string;
}

export interface StoredSource extends NewSource {
  /** Milliseconds since 1970. */
  readonly changedAt: number;
  /** JSON texts, newest first. */
  readonly runs: readonly string[];
}

/** What has to stand there as `own`; null: nothing. Left out: whatever there is. */
export type ExpectedSource = string | null | undefined;

export interface InventorySources {
  /**
   * Adds it or puts it in place of the former one, with its audit entry. `full`: there are too many; `moved`: another
   * stands there than was expected, and stays.
   */
  put(
    source: NewSource,
    by: Actor,
    expected?: ExpectedSource,
  ): Promise<"added" | "changed" | "full" | "moved">;
  /** By name. */
  list(): Promise<StoredSource[]>;
  get(key: string): Promise<StoredSource | undefined>;
  /** @returns whether there was one, as it was expected. */
  remove(key: string, by: Actor, expected?: ExpectedSource): Promise<boolean>;
  /** A run is over: the newest are kept. Nothing where the source is gone. */
  addRun(key: string, run: string, entry: NewAuditEntry): Promise<void>;
}
