/**
 * Stored credentials that requests reference (`credential`): encrypted, decrypted only for running jobs, never shown.
 */
import type { CredentialRow } from "../tables/access.ts";
import type { Actor, NewAuditEntry } from "./audit.ts";

/** Times are milliseconds since 1970. */
export type StoredCredential = Omit<CredentialRow, "values">;

export interface NewCredential {
  readonly source: string;
  readonly ref: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface Credentials {
  /** Adds or replaces it, with its audit entry. `full`: the limit on their number or size is reached. */
  set(credential: NewCredential, by: Actor): Promise<"added" | "changed" | "full">;

  /** Ordered by source and name, without values. */
  list(): Promise<StoredCredential[]>;

  /**
   * @returns the values by field
   * @throws ServiceError Internal if it was encrypted with another master key or is damaged
   */
  open(source: string, ref: string): Promise<Readonly<Record<string, string>> | undefined>;

  /** Records a use in the audit trail and, if the credential is stored here, in its row. */
  used(name: string, entry: NewAuditEntry): Promise<void>;

  /**
   * Removes it, with its audit entry.
   * @returns whether it existed
   */
  remove(source: string, ref: string, by: Actor): Promise<boolean>;
}
