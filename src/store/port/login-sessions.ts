/** Login sessions: only the hash of their token is stored, and they end with their key. */
import type { Actor } from "./audit.ts";
import type { StoredKey } from "./keys.ts";

/** Times are milliseconds since 1970. */
export interface StoredLoginSession {
  readonly id: string;
  readonly keyId: string;
  readonly key: Pick<StoredKey, "name" | "scope" | "hosts" | "credentials">;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  readonly address: string | null;
  readonly agent: string | null;
}

export interface NewLoginSession {
  /** In clear. */
  readonly token: string;
  readonly keyId: string;
  readonly address: string | null;
  readonly agent: string | null;
}

export interface LoginSessions {
  /** Adds one with its audit entry; of a key's sessions those used longest ago end when there are too many. */
  add(session: NewLoginSession, by: Actor): Promise<StoredLoginSession>;

  /** The session in force, of a key in force. */
  find(token: string): Promise<StoredLoginSession | undefined>;

  /** Those in force, the newest first; of one key, or of all. */
  list(keyId?: string): Promise<StoredLoginSession[]>;

  /** @param keyId only one of this key. @returns whether there was such a session. */
  end(id: string, by: Actor, keyId?: string): Promise<boolean>;

  /** Notes a use; written by `writeUses`, not with every request. */
  touch(id: string): void;

  /** Writes the uses noted since, and deletes what has ended. */
  writeUses(): Promise<void>;
}
