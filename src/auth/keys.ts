/** Authentication: resolves an API key or a login session token to a Caller. */
import { LRUCache } from "lru-cache";
import { scopeOf } from "../api/key.ts";
import { type BoundedCache, createBoundedCache } from "../base/share/bounded-cache.ts";
import { pause as wait } from "../base/time/deadline.ts";
import type { TimeBudget } from "../base/time/time-budget.ts";
import type { Authenticate, Caller, KeyRow, KeyStore, LoginStore, SelectedHosts } from "./port.ts";
import { createSelectedReach } from "./selected.ts";

/** A revoked key or an ended session stops working within this time on every node. */
const cachedMs = 5_000;
const maxKeyLength = 512;

export interface AuthenticateOptions {
  readonly keys: KeyStore;
  readonly logins: LoginStore;
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<void>;
  readonly limits?: Partial<GuessLimits>;
  /** Absent: there is no inventory, and selectors match nothing. */
  readonly selectedHosts?: SelectedHosts;
}

export interface Authentication {
  readonly byKey: Authenticate;
  readonly bySession: Authenticate;
  /** By the fingerprint of the caller's certificate. */
  readonly byCertificate: Authenticate;
  /** The current rights of a key, for work without a request. Undefined if the key is not valid. */
  byId(id: string): Promise<Caller | undefined>;
  /** Called after a logout, so that the session's next request on this node is refused at once. */
  forgetSession(id: string): void;
}

/** A valid key always passes, even during an attack; wrong keys are answered more and more slowly. */
export function createAuthentication(options: AuthenticateOptions): Authentication {
  const { keys, logins, now = () => performance.now(), pause = wait, limits } = options;
  const reachable = createSelectedReach(options.selectedHosts);
  const guesses = createGuessLimiter({ limits, now, pause });
  const keysFound = createFound(keys.find, now);
  const certificatesFound = createFound(keys.findCertificate, now);
  const loginsFound = createFound(logins.find, now);
  return {
    async byKey(key, from, budget, counts = true) {
      const row = await keysFound.find(key, budget);
      if (!row) return guesses.wrong(key, from);
      if (counts) keys.touch(row.id);
      return callerOf(row, await reachable(row.hosts), row.id, from);
    },
    async bySession(token, from, budget, counts = true) {
      const row = await loginsFound.find(token, budget);
      if (!row) return guesses.wrong(token, from);
      if (counts) logins.touch(row.id);
      return { ...callerOf(row.key, await reachable(row.key.hosts), row.keyId, from), sessionId: row.id };
    },
    async byCertificate(fingerprint, from, budget, counts = true) {
      const row = await certificatesFound.find(fingerprint, budget);
      // No guess limit: only certificates signed by a trusted CA arrive here.
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
  { name, scope, credentials, rights }: Omit<KeyRow, "id" | "hosts">,
  hosts: readonly string[],
  keyId: string,
  from: string | null,
): Caller {
  return { keyId, name, scope: scopeOf(scope), hosts, credentials, rights, from };
}

/** Caches only hits: guesses must not evict valid keys. */
function createFound<Row extends { readonly id: string }>(
  lookUp: (text: string) => Promise<Row | undefined>,
  now: () => number,
) {
  const cache = new LRUCache<string, { row: Row; until: number }>({ max: 1_000 });
  return {
    async find(text: string, budget: TimeBudget | undefined): Promise<Row | undefined> {
      if (text.length === 0 || text.length > maxKeyLength) return undefined;
      const cached = cache.get(text);
      if (cached && cached.until > now()) return cached.row;
      cache.delete(text);
      // Looked up by SHA-256 in an index, so timing reveals nothing about the key.
      const lookup = lookUp(text);
      const row = await (budget?.wait(lookup) ?? lookup);
      if (row) cache.set(text, { row, until: now() + cachedMs });
      return row;
    },
    forget(id: string): void {
      for (const [text, { row }] of cache.entries()) if (row.id === id) cache.delete(text);
    },
  };
}

/** Slows down guessing of API keys, per address and per key prefix. Does not affect valid keys. */
interface GuessLimiter {
  /**
   * Records a wrong key. Resolves at once, or delayed if there were many.
   * @param from null: a Unix socket, whose callers cannot be told apart.
   * @returns how long to wait before the next attempt, if there were too many.
   */
  wrong(key: string, from: string | null): Promise<{ lockedForS: number } | undefined>;
}

interface GuessLimits {
  /** Number of wrong keys that are answered at once. */
  readonly free: number;
  readonly windowMs: number;
  /** Delay of each further answer. */
  readonly holdMs: number;
  /** Maximum number of delayed answers at a time. */
  readonly maxHeld: number;
}

const defaults: GuessLimits = { free: 10, windowMs: 60_000, holdMs: 1_000, maxHeld: 1_000 };
/** Number of addresses and prefixes remembered (LRU). */
const maxRemembered = 20_000;
/** `pb_` and 42 bits: keys do not share a prefix by chance. */
const beginning = 10;

interface Count {
  count: number;
  readonly since: number;
}

interface GuessOptions {
  readonly limits?: Partial<GuessLimits>;
  now(): number;
  pause(ms: number): Promise<void>;
}

function createGuessLimiter({ limits, now, pause }: GuessOptions): GuessLimiter {
  const { free, windowMs, holdMs, maxHeld } = { ...defaults, ...limits };
  const addresses = createBoundedCache<Count>(maxRemembered);
  const beginnings = createBoundedCache<Count>(maxRemembered);
  let held = 0;

  /** @returns milliseconds until the counter resets, if it is too high. */
  function counted(table: BoundedCache<Count>, name: string): number {
    const earlier = table.get(name);
    const record = earlier && now() - earlier.since < windowMs ? earlier : { count: 0, since: now() };
    record.count++;
    table.set(name, record);
    return record.count > free ? record.since + windowMs - now() : 0;
  }

  return {
    async wrong(key, from) {
      const byKey = counted(beginnings, key.slice(0, beginning));
      const lockedMs = Math.max(byKey, from === null ? 0 : counted(addresses, from));
      if (lockedMs <= 0) return undefined;
      if (held < maxHeld) {
        held++;
        try {
          await pause(holdMs);
        } finally {
          held--;
        }
      }
      return { lockedForS: Math.ceil(lockedMs / 1000) };
    },
  };
}
