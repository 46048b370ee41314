/** Inventory sources and the results of their last runs. They contain no secrets: credentials are references. */
import type { Actor, NewAuditEntry } from "./audit.ts";

export interface NewSource {
  /** Its name in lower case. */
  readonly key: string;
  /** JSON text of the whole source. */
  readonly own: string;
}

export interface StoredSource extends NewSource {
  /** Milliseconds since 1970. */
  readonly changedAt: number;
  /** JSON texts, newest first. */
  readonly runs: readonly string[];
}

/** Expected stored `own`; null: no such source exists. Undefined: any. */
export type ExpectedSource = string | null | undefined;

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
  /** By name. */
  list(): Promise<StoredSource[]>;
  get(key: string): Promise<StoredSource | undefined>;
  /** @returns whether the expected source existed */
  remove(key: string, by: Actor, expected?: ExpectedSource): Promise<boolean>;
  /** Records a finished run; the newest are kept. Does nothing if the source is gone. */
  addRun(key: string, run: string, entry: NewAuditEntry): Promise<void>;
}
