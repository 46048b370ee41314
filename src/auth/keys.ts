/** From the text of an API key to a Caller. */
import { LRUCache } from "lru-cache";
import { pause as wait } from "../base/deadline.ts";
import type { Patience } from "../base/patience.ts";
import { createGuessLimiter, type GuessLimits } from "./guess-limiter.ts";
import { type Authenticate, type KeyRow, type KeyStore, type Scope, scopes } from "./port.ts";

/** A revoked key stops working within this time, on every node. */
const cachedMs = 5_000;
const longestKey = 512;

export interface AuthenticateOptions {
  readonly keys: KeyStore;
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<void>;
  readonly limits?: Partial<GuessLimits>;
}

/** A right key always passes, whoever guesses beside it; wrong ones are answered slower and slower. */
export function createAuthenticate({
  keys,
  now = () => performance.now(),
  pause = wait,
  limits,
}: AuthenticateOptions): Authenticate {
  // Only keys that were found: a stranger's guesses must not push them out.
  const foundKeys = new LRUCache<string, KeyRow & { until: number }>({ max: 1_000 });
  const guesses = createGuessLimiter({ limits, now, pause });

  async function find(key: string, patience: Patience | undefined): Promise<KeyRow | undefined> {
    if (key.length === 0 || key.length > longestKey) return undefined;
    const cached = foundKeys.get(key);
    if (cached && cached.until > now()) return cached;
    foundKeys.delete(key);
    // Looked up by its SHA-256: equal hashes are compared by the index, which tells nothing of the key.
    const lookup = keys.find(key);
    const row = await (patience?.wait(lookup) ?? lookup);
    if (row) foundKeys.set(key, { ...row, until: now() + cachedMs });
    return row;
  }

  return async (key, from, patience) => {
    const row = await find(key, patience);
    if (!row) return guesses.wrong(key, from);
    keys.touch(row.id);
    return { keyId: row.id, name: row.name, scope: scopeOf(row.scope), hosts: row.hosts, from };
  };
}

/** An unknown scope, of a newer version, is the least one. */
function scopeOf(text: string): Scope {
  return scopes.find((scope) => scope === text) ?? "read";
}
