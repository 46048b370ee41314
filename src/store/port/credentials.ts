/** Secrets that requests name (`credential`): sealed, and opened for a job that runs, never for people. */
import type { Actor, NewAuditEntry } from "./audit.ts";

/** Times are milliseconds since 1970. */
export interface StoredCredential {
  /** The plugin that gives it. */
  readonly source: string;
  readonly ref: string;
  /** Names of its fields. */
  readonly fields: readonly string[];
  readonly createdAt: number;
  readonly changedAt: number;
  readonly lastUsedAt: number | null;
}

export interface NewCredential {
  readonly source: string;
  readonly ref: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface Credentials {
  /** Adds it or puts it in place of the former one, with its audit entry. `full`: there are too many, or too large ones. */
  set(credential: NewCredential, by: Actor): Promise<"added" | "changed" | "full">;

  /** All of them by source and name, without what they hold. */
  list(): Promise<StoredCredential[]>;

  /** @returns its fields. @throws ServiceError Internal: it was sealed with another master key, or damaged */
  open(source: string, ref: string): Promise<Readonly<Record<string, string>> | undefined>;

  /** Notes a use in the audit trail, and at the credential if it is kept here. */
  used(name: string, entry: NewAuditEntry): Promise<void>;

  /** @returns whether there was one; its audit entry stands with the change. */
  remove(source: string, ref: string, by: Actor): Promise<boolean>;
}
