/** From the text of an API key to a Caller, with a lock-out for addresses that guess. */
import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type Caller, type Scope, scopes } from "./caller.ts";

/** What the store gives of a key that is in force. */
interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly hosts: readonly string[];
}

export interface KeyStore {
  find(key: string): Promise<KeyRow | undefined>;
  touch(id: string): void;
}

export type Authenticate = (
  key: string,
  from: string | null,
) => Promise<Caller | { lockedForS: number } | undefined>;

/** A revoked key stops working within this time, on every node. */
const trustMs = 5_000;
const failuresAllowed = 10;
const failureWindowMs = 60_000;
const lockMs = 300_000;
const longestKey = 512;

export interface AuthenticateOptions {
  readonly keys: KeyStore;
  readonly now?: () => number;
}

export function createAuthenticate({
  keys,
  now = () => performance.now(),
}: AuthenticateOptions): Authenticate {
  // Only keys that were found: a stranger's guesses must not push them out.
  const known = new LRUCache<string, KeyRow & { until: number }>({ max: 1_000 });
  const failures = new LRUCache<string, { count: number; since: number; lockedUntil: number }>({
    max: 100_000,
  });

  return async (key, from) => {
    const address = from ?? "local";
    const record = failures.get(address);
    if (record && record.lockedUntil > now())
      return { lockedForS: Math.ceil((record.lockedUntil - now()) / 1000) };
    const row = await find(key);
    if (!row) {
      fail(address);
      return undefined;
    }
    keys.touch(row.id);
    return { keyId: row.id, name: row.name, scope: scopeOf(row.scope), hosts: row.hosts, from };
  };

  async function find(key: string): Promise<KeyRow | undefined> {
    if (key.length === 0 || key.length > longestKey) return undefined;
    const cached = known.get(key);
    if (cached && cached.until > now()) return cached;
    known.delete(key);
    // Looked up by its SHA-256: equal hashes are compared by the index, which tells nothing of the key.
    const row = await keys.find(key);
    if (row) known.set(key, { ...row, until: now() + trustMs });
    return row;
  }

  function fail(address: string): void {
    const record = failures.get(address);
    const fresh = !record || now() - record.since > failureWindowMs;
    const count = fresh ? 1 : record.count + 1;
    const lockedUntil = count >= failuresAllowed ? now() + lockMs : 0;
    failures.set(address, { count, since: fresh ? now() : record.since, lockedUntil });
  }
}

/** An unknown scope, of a newer version, is the least one. */
function scopeOf(text: string): Scope {
  return scopes.find((scope) => scope === text) ?? "read";
}

/** 256 random bits. */
export function makeApiKey(): string {
  return `pb_${randomBytes(32).toString("base64url")}`;
}
