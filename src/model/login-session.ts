/** Login sessions: what a browser or a person's terminal holds in place of an API key. */

/** Ends when nothing came for so long. */
export const loginIdleMs = 12 * 3_600_000;
/** Ends then, whatever comes. */
export const loginLongestMs = 7 * 24 * 3_600_000;
/** Of one key; a further one ends the one that was used longest ago. */
export const mostLogins = 50;

/** As GET /session shows it: never the token. Times are ISO 8601. */
export interface LoginSessionRecord {
  id: string;
  /** Name of the API key it was made with, and gives what that gives. */
  key: string;
  scope: string;
  hosts: readonly string[];
  created_at: string;
  last_seen_at: string;
  /** When it ends if nothing more comes. */
  expires_at: string;
  /** Address that logged in; null on a unix socket. */
  address: string | null;
  /** User-Agent that logged in, cut at 200 characters. */
  agent: string | null;
  /** Whether it is the one that asks. */
  current: boolean;
}
