/** From the text of an API key, or the token of a login session, to a Caller. */
import { LRUCache } from "lru-cache";
import { pause as wait } from "../base/deadline.ts";
import type { Patience } from "../base/patience.ts";
import { createGuessLimiter, type GuessLimits } from "./guess-limiter.ts";
import {
  type Authenticate,
  type Caller,
  type KeyRow,
  type KeyStore,
  type LoginStore,
  type Scope,
  type SelectedHosts,
  scopes,
} from "./port.ts";
import { createSelectedReach } from "./selected.ts";

/** A revoked key, and an ended session, stops working within this time, on every node. */
const cachedMs = 5_000;
const longestKey = 512;

export interface AuthenticateOptions {
  readonly keys: KeyStore;
  readonly logins: LoginStore;
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<void>;
  readonly limits?: Partial<GuessLimits>;
  /** Absent: there is no inventory, and selectors reach nothing. */
  readonly selectedHosts?: SelectedHosts;
}

export interface Authentication {
  readonly byKey: Authenticate;
  readonly bySession: Authenticate;
  /** By the fingerprint of a certificate that the caller has shown. */
  readonly byCertificate: Authenticate;
  /** Who works for a key while nobody calls: what it may do now. Undefined: it is not in force. */
  byId(id: string): Promise<Caller | undefined>;
  /** It has ended: the next request of it here finds out at once. */
  forgetSession(id: string): void;
}

/** A right key always passes, whoever guesses beside it; wrong ones are answered slower and slower. */
export function createAuthentication(options: AuthenticateOptions): Authentication {
  const { keys, logins, now = () => performance.now(), pause = wait, limits } = options;
  const reachable = createSelectedReach(options.selectedHosts);
  const guesses = createGuessLimiter({ limits, now, pause });
  const keysFound = createFound(keys.find, now);
  const certificatesFound = createFound(keys.findCertificate, now);
  const loginsFound = createFound(logins.find, now);
  return {
    async byKey(key, from, patience, counts = true) {
      const row = await keysFound.find(key, patience);
      if (!row) return guesses.wrong(key, from);
      if (counts) keys.touch(row.id);
      return callerOf(row, await reachable(row.hosts), row.id, from);
    },
    async bySession(token, from, patience, counts = true) {
      const row = await loginsFound.find(token, patience);
      if (!row) return guesses.wrong(token, from);
      if (counts) logins.touch(row.id);
      return { ...callerOf(row.key, await reachable(row.key.hosts), row.keyId, from), sessionId: row.id };
    },
    async byCertificate(fingerprint, from, patience, counts = true) {
      const row = await certificatesFound.find(fingerprint, patience);
      // Nobody guesses: only what an authority has signed comes here.
      if (!row) return undefined;
      if (counts) keys.touch(row.id);
      return callerOf(row, await reachable(row.hosts), row.id, from);
    },
    async byId(id) {
      const row = await keys.byId(id);
      const isOver =
        !row || row.revokedAt !== null || (row.expiresAt !== null && row.expiresAt <= Date.now());
      return isOver ? undefined : callerOf(row, await reachable(row.hosts), row.id, null);
    },
    forgetSession: loginsFound.forget,
  };
}

function callerOf(
  { name, scope, credentials }: Omit<KeyRow, "id" | "hosts">,
  hosts: readonly string[],
  keyId: string,
  from: string | null,
): Caller {
  return { keyId, name, scope: scopeOf(scope), hosts, credentials, from };
}

/** Only what was found is kept: a stranger's guesses must not push it out. */
function createFound<Row extends { readonly id: string }>(
  lookUp: (text: string) => Promise<Row | undefined>,
  now: () => number,
) {
  const found = new LRUCache<string, { row: Row; until: number }>({ max: 1_000 });
  return {
    async find(text: string, patience: Patience | undefined): Promise<Row | undefined> {
      if (text.length === 0 || text.length > longestKey) return undefined;
      const cached = found.get(text);
      if (cached && cached.until > now()) return cached.row;
      found.delete(text);
      // Looked up by its SHA-256: equal hashes are compared by the index, which tells nothing of the text.
      const lookup = lookUp(text);
      const row = await (patience?.wait(lookup) ?? lookup);
      if (row) found.set(text, { row, until: now() + cachedMs });
      return row;
    },
    forget(id: string): void {
      for (const [text, { row }] of found.entries()) if (row.id === id) found.delete(text);
    },
  };
}

/** An unknown scope, of a newer version, is the least one. */
function scopeOf(text: string): Scope {
  return scopes.find((scope) => scope === text) ?? "read";
}
