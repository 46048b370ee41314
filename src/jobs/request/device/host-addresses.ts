/** Resolves host names with a cache and limited concurrency. */
import { lookup } from "node:dns/promises";
import { canonicalHost } from "../../../api/identity.ts";
import type { Resolve } from "../../../auth/port.ts";
import { createBoundedCache } from "../../../base/share/bounded-cache.ts";
import { neverAborted, within } from "../../../base/time/deadline.ts";

export interface HostAddresses {
  /** Canonical addresses; empty if the name does not exist. @returns undefined on a timeout or resolver failure */
  of(name: string, withinMs: number): Promise<readonly string[] | undefined>;
  /** Resolves names and indexes them by address. Cheap for the same array. */
  among(names: readonly string[], withinMs: number): Promise<NamesByAddress>;
}

export interface NamesByAddress {
  at(address: string): readonly string[];
  /** Number of names without an answer: timeout or resolver failure. */
  readonly missing: number;
}

interface Known {
  /** Undefined if the resolver has failed so far. */
  readonly addresses: readonly string[] | undefined;
  /** Expiry, on the monotonic clock. */
  readonly until: number;
}

const keptMs = 60_000;
/** Retry interval while the resolver fails. */
const failedMs = 10_000;
/** Cache size: all inventory names, plus names of requests. */
const maxKept = 120_000;
const maxAtOnce = 16;

export async function systemResolve(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

export function createHostAddresses(resolve: Resolve = systemResolve): HostAddresses {
  const cache = createBoundedCache<Known>(maxKept);
  const underWay = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  let active = 0;
  /** Counts changes of the cache. */
  let changes = 0;

  function note(name: string, addresses: readonly string[] | undefined, forMs: number): void {
    const former = cache.peek(name)?.addresses;
    cache.set(name, { addresses, until: performance.now() + forMs });
    if (former?.join() !== addresses?.join()) changes++;
  }

  async function find(name: string): Promise<void> {
    if (active >= maxAtOnce) await new Promise<void>((go) => waiting.push(go));
    else active++;
    try {
      note(name, [...new Set((await resolve(name)).map(canonicalHost))], keptMs);
    } catch (error) {
      // A failure does not invalidate an earlier answer.
      if (isUnknownName(error)) note(name, [], keptMs);
      else note(name, cache.peek(name)?.addresses, failedMs);
    } finally {
      underWay.delete(name);
      const next = waiting.shift();
      if (next === undefined) active--;
      else next();
    }
  }

  /** @returns undefined if the cached answer is still fresh. */
  function lookup(name: string): Promise<void> | undefined {
    if (performance.now() < (cache.get(name)?.until ?? 0)) return undefined;
    const pending = underWay.get(name);
    if (pending !== undefined || underWay.size >= maxKept) return pending;
    const asking = find(name);
    underWay.set(name, asking);
    return asking;
  }

  /** Late lookups continue and fill the cache. */
  async function lookupAll(names: readonly string[], withinMs: number): Promise<void> {
    const lookups = names.map(lookup).filter((promise) => promise !== undefined);
    if (lookups.length === 0) return;
    await within(Promise.all(lookups), withinMs, neverAborted, () => new Error("late")).catch(() => {});
  }

  let index: (NamesByAddress & { names: readonly string[]; changes: number; until: number }) | undefined;

  function indexOf(names: readonly string[]): NamesByAddress {
    const byAddress = new Map<string, string[]>();
    let missing = 0;
    let until = performance.now() + keptMs;
    for (const name of names) {
      const entry = cache.get(name);
      if (entry?.addresses === undefined) missing++;
      if (entry !== undefined) until = Math.min(until, entry.until);
      for (const address of entry?.addresses ?? []) {
        const same = byAddress.get(address);
        if (same) same.push(name);
        else byAddress.set(address, [name]);
      }
    }
    index = { names, changes, until, missing, at: (address) => byAddress.get(address) ?? [] };
    return index;
  }

  return {
    async of(name, withinMs) {
      await lookupAll([name], withinMs);
      return cache.get(name)?.addresses;
    },
    async among(names, withinMs) {
      const isSame = index?.names === names && index.changes === changes && index.missing === 0;
      if (index && isSame && performance.now() < index.until) return index;
      await lookupAll(names, withinMs);
      return indexOf(names);
    },
  };
}

const isUnknownName = (error: unknown) =>
  error instanceof Error && "code" in error && (error.code === "ENOTFOUND" || error.code === "ENODATA");
