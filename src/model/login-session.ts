/** Login sessions, used by browsers and terminals in place of an API key. */

/** Idle timeout. */
export const loginIdleMs = 12 * 3_600_000;
/** Maximum lifetime. */
export const loginLongestMs = 7 * 24 * 3_600_000;
/** Maximum per key; another one ends the least recently used. */
export const maxLogins = 50;

/** As in GET /session, without the token. Times are ISO 8601. */
export interface LoginSessionRecord {
  id: string;
  /** Name of its API key, which determines its rights. */
  key: string;
  scope: string;
  hosts: readonly string[];
  created_at: string;
  last_seen_at: string;
  /** When it ends without further requests. */
  expires_at: string;
  /** Client address at login; null on a unix socket. */
  address: string | null;
  /** User-Agent at login, at most 200 characters. */
  agent: string | null;
  /** Whether it is the session of this request. */
  current: boolean;
}
