/** API keys: only their hash is stored. */
import type { Actor } from "./audit.ts";

/** Times are milliseconds since 1970. */
export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  /** Patterns of hosts it may reach; empty: all. */
  readonly hosts: readonly string[];
  /** Patterns of credentials it may name; null: it has no list of its own. */
  readonly credentials: readonly string[] | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

/** As a list shows it. */
export interface ListedKey extends StoredKey {
  /** SHA-256 of the certificate that stands for it, 64 hexadecimal digits; null: it is a text. */
  readonly certificate: string | null;
}

export interface NewKey {
  readonly name: string;
  /** The clear key, or the certificate that stands for it: SHA-256, 64 hexadecimal digits. */
  readonly key: string | { readonly certificate: string };
  readonly scope: string;
  readonly hosts: readonly string[];
  readonly credentials?: readonly string[] | null | undefined;
  readonly expiresAt?: number | undefined;
}

/** `unknown`: there is no such key in force. `last_admin`: it was kept. */
export type Revocation = "revoked" | "unknown" | "last_admin";

export interface Keys {
  /**
   * Adds a key with its audit entry.
   * @returns the id, or undefined when the name or the key is taken.
   */
  add(key: NewKey, by: Actor): Promise<string | undefined>;

  /** All of them, oldest first, those no longer in force included. */
  list(): Promise<ListedKey[]>;

  /** The key that is in force: not revoked, not expired. */
  find(key: string): Promise<StoredKey | undefined>;

  /** The key in force that a certificate stands for: by its SHA-256. */
  findCertificate(fingerprint: string): Promise<StoredKey | undefined>;

  /** Whether or not it is in force. */
  byId(id: string): Promise<StoredKey | undefined>;

  /** Another list of credentials. @returns whether there was such a key in force; its audit entry stands with the change. */
  limitCredentials(nameOrId: string, credentials: readonly string[] | null, by: Actor): Promise<boolean>;

  /**
   * Revokes it with its audit entry.
   * @param lastAdmin `kept`: the last key in force of scope admin that may reach everything stays, also where two nodes
   * revoke at once.
   */
  revoke(nameOrId: string, by: Actor, lastAdmin?: "kept"): Promise<Revocation>;

  /** Notes a use; written by `writeUses`, not with every request. */
  touch(id: string): void;

  /** Writes the last uses that were noted since. */
  writeUses(): Promise<void>;
}
