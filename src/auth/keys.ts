/** Authentication: resolves an API key or a login session token to a Caller. */
import { LRUCache } from "lru-cache";
import { scopeOf } from "../api/access/key.ts";
import { type BoundedCache, createBoundedCache } from "../base/share/bounded-cache.ts";
import { pause as wait } from "../base/time/deadline.ts";
import type { TimeBudget } from "../base/time/time-budget.ts";
import type { Holders } from "./holders.ts";
import type { Authenticate, Caller, Holder, KeyStore, LoginStore, SelectedHosts } from "./port.ts";
import { createSelectedReach } from "./selected.ts";

/** A revoked key, an ended session or a blocked person stops working within this time on every node. */
const cachedMs = 4_000;
const maxKeyLength = 512;

export interface AuthenticateOptions {
  readonly keys: KeyStore;
  readonly logins: LoginStore;
  readonly holders: Holders;
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
  /** The current rights of a key or person, for work without a request. Undefined if it is not valid. */
  byId(id: string): Promise<Caller | undefined>;
  /** Called after a logout, so that the session's next request on this node is refused at once. */
  forgetSession(id: string): void;
  /** Called after a change of what keys and persons may do: all are looked up anew on this node. */
  forgetAll(): void;
}

/** A valid key always passes, even during an attack; wrong keys are answered more and more slowly. */
export function createAuthentication(options: AuthenticateOptions): Authentication {
  const { keys, logins, holders, now = () => performance.now(), pause = wait, limits } = options;
  const reachable = createSelectedReach(options.selectedHosts);
  const guesses = createGuessLimiter({ limits, now, pause });
  const ofKey = (find: typeof keys.find) => async (text: string) => {
    const key = await find(text);
    return key && inForce(key.id, await holders.ofKey(key));
  };
  const keysFound = createFound(ofKey(keys.find), now);
  const certificatesFound = createFound(ofKey(keys.findCertificate), now);
  const loginsFound = createFound(async (token) => {
    const session = await logins.find(token);
    return session && inForce(session.id, await holders.byId(session.holder));
  }, now);

  async function callerOf(holder: Holder, from: string | null): Promise<Caller> {
    const { id, name, scope, credentials, rights, recipes, person } = holder;
    const hosts = await reachable(holder.hosts);
    const caller = { keyId: id, name, scope: scopeOf(scope), hosts, credentials, rights, recipes, from };
    if (person === undefined) return caller;
    return { ...caller, person, submitter: { kind: "person", name: person.name } };
  }

  return {
    async byKey(key, from, budget, counts = true) {
      const found = await keysFound.find(key, budget);
      if (!found) return guesses.wrong(key, from);
      if (counts) keys.touch(found.id);
      return callerOf(found.holder, from);
    },
    async bySession(token, from, budget, counts = true) {
      const found = await loginsFound.find(token, budget);
      if (!found) return guesses.wrong(token, from);
      if (counts) logins.touch(found.id);
      return { ...(await callerOf(found.holder, from)), sessionId: found.id };
    },
    async byCertificate(fingerprint, from, budget, counts = true) {
      const found = await certificatesFound.find(fingerprint, budget);
      // No guess limit: only certificates signed by a trusted CA arrive here.
      if (!found) return undefined;
      if (counts) keys.touch(found.id);
      return callerOf(found.holder, from);
    },
    async byId(id) {
      const holder = await holders.byId(id);
      return holder?.state === "in_force" ? callerOf(holder, null) : undefined;
    },
    forgetSession: loginsFound.forget,
    forgetAll() {
      holders.forgetRoles();
      for (const found of [keysFound, certificatesFound, loginsFound]) found.clear();
    },
  };
}

interface Found {
  /** Of the key or the session. */
  readonly id: string;
  readonly holder: Holder;
}

function inForce(id: string, holder: Holder | undefined): Found | undefined {
  return holder?.state === "in_force" ? { id, holder } : undefined;
}

/** Caches only hits: guesses must not evict valid keys. */
function createFound(lookUp: (text: string) => Promise<Found | undefined>, now: () => number) {
  const cache = new LRUCache<string, { found: Found; until: number }>({ max: 1_000 });
  return {
    async find(text: string, budget: TimeBudget | undefined): Promise<Found | undefined> {
      if (text.length === 0 || text.length > maxKeyLength) return undefined;
      const cached = cache.get(text);
      if (cached && cached.until > now()) return cached.found;
      cache.delete(text);
      // Looked up by SHA-256 in an index, so timing reveals nothing about the key.
      const lookup = lookUp(text);
      const found = await (budget?.wait(lookup) ?? lookup);
      if (found) cache.set(text, { found, until: now() + cachedMs });
      return found;
    },
    forget(id: string): void {
      for (const [text, { found }] of cache.entries()) if (found.id === id) cache.delete(text);
    },
    clear: () => cache.clear(),
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
