/** Login sessions. Only the hash of the token is stored; a session ends with its key. */
import type { LoginSessionRow } from "../tables/access.ts";
import type { Actor } from "./audit.ts";
import type { StoredKey } from "./keys.ts";

/** Times are milliseconds since 1970. */
export interface StoredLoginSession
  extends Pick<LoginSessionRow, "keyId" | "lastSeenAt" | "address" | "agent"> {
  readonly id: string;
  readonly key: Pick<StoredKey, "name" | "scope" | "hosts" | "credentials">;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface NewLoginSession extends Pick<LoginSessionRow, "keyId" | "address" | "agent"> {
  /** In clear text. */
  readonly token: string;
}

export interface LoginSessions {
  /** Adds one, with its audit entry; if the key has too many, its least recently used sessions are ended. */
  add(session: NewLoginSession, by: Actor): Promise<StoredLoginSession>;

  /** The active session of an active key. */
  find(token: string): Promise<StoredLoginSession | undefined>;

  /** Active sessions, newest first; of one key, or of all. */
  list(keyId?: string): Promise<StoredLoginSession[]>;

  /**
   * @param keyId only if it belongs to this key
   * @returns whether there was such a session
   */
  end(id: string, by: Actor, keyId?: string): Promise<boolean>;

  /** Notes a use in memory; `writeUses` writes it. */
  touch(id: string): void;

  /** Writes the uses noted since the last call, and deletes ended sessions. */
  writeUses(): Promise<void>;
}
