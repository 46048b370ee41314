/** API keys. Only their hashes are stored. */
import type { GivenKey, KeyRow } from "../tables/access.ts";
import type { Actor } from "./audit.ts";

/** Times are milliseconds since 1970. */
export type StoredKey = Omit<KeyRow, "hash">;

/** A key as listed. */
export interface ListedKey extends StoredKey {
  /** SHA-256 of the client certificate it stands for, 64 hex digits; null for a text key. */
  readonly certificate: string | null;
}

export interface NewKey extends GivenKey {
  /** The clear key, or the SHA-256 of a client certificate, 64 hex digits. */
  readonly key: string | { readonly certificate: string };
}

/** `unknown`: no such active key. `last_admin`: it was not revoked. */
export type Revocation = "revoked" | "unknown" | "last_admin";

export interface Keys {
  /**
   * Adds a key, with its audit entry.
   * @returns the id; undefined if the name or the key is taken
   */
  add(key: NewKey, by: Actor): Promise<string | undefined>;

  /** Oldest first, including revoked and expired keys. */
  list(): Promise<ListedKey[]>;

  /** The active key: neither revoked nor expired. */
  find(key: string): Promise<StoredKey | undefined>;

  /** The active key for a client certificate, by its SHA-256. */
  findCertificate(fingerprint: string): Promise<StoredKey | undefined>;

  /** Also finds revoked and expired keys. */
  byId(id: string): Promise<StoredKey | undefined>;

  /**
   * Replaces the list of credentials, with its audit entry.
   * @returns whether there was such an active key
   */
  limitCredentials(nameOrId: string, credentials: readonly string[] | null, by: Actor): Promise<boolean>;

  /**
   * Revokes it, with its audit entry.
   * @param lastAdmin `kept`: refuses to revoke the last active admin key that may reach all hosts, even if two nodes
   * revoke concurrently
   */
  revoke(nameOrId: string, by: Actor, lastAdmin?: "kept"): Promise<Revocation>;

  /** Notes a use in memory; `writeUses` writes it. */
  touch(id: string): void;

  /** Writes the uses noted since the last call. */
  writeUses(): Promise<void>;
}
