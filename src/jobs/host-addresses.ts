/** Which addresses names of hosts have, as this node's resolver says: remembered for a while, few looked up at once. */
import { lookup } from "node:dns/promises";
import type { Resolve } from "../auth/port.ts";
import { neverAborted, within } from "../base/deadline.ts";
import { createRecent } from "../base/recent.ts";
import { canonicalHost } from "../model/identity.ts";

export interface HostAddresses {
  /** In canonical form; none where there is no such name. @returns undefined: not found in time, or the resolver failed */
  of(name: string, withinMs: number): Promise<readonly string[] | undefined>;
  /** Which of the names have an address. The same list each time costs little. */
  among(names: readonly string[], withinMs: number): Promise<NamesByAddress>;
}

export interface NamesByAddress {
  at(address: string): readonly string[];
  /** How many names are not known in time, or because the resolver failed. */
  readonly missing: number;
}

interface Known {
  /** Undefined: the resolver has failed so far. */
  readonly addresses: readonly string[] | undefined;
  /** Monotonic; it is asked again then. */
  readonly until: number;
}

const keptMs = 60_000;
/** Who waits for a resolver that is away does so now and then only. */
const failedMs = 10_000;
/** As many as devices may be known by name, and what requests name besides. */
const mostKept = 120_000;
const mostAtOnce = 16;

export async function systemResolve(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

export function createHostAddresses(resolve: Resolve = systemResolve): HostAddresses {
  const known = createRecent<Known>(mostKept);
  const underWay = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  let active = 0;
  /** Of what is known. */
  let changes = 0;

  function note(name: string, addresses: readonly string[] | undefined, forMs: number): void {
    const former = known.peek(name)?.addresses;
    known.set(name, { addresses, until: performance.now() + forMs });
    if (former?.join() !== addresses?.join()) changes++;
  }

  async function find(name: string): Promise<void> {
    if (active >= mostAtOnce) await new Promise<void>((go) => waiting.push(go));
    else active++;
    try {
      note(name, [...new Set((await resolve(name)).map(canonicalHost))], keptMs);
    } catch (error) {
      // A resolver that fails takes nothing back of what it said before.
      if (isUnknownName(error)) note(name, [], keptMs);
      else note(name, known.peek(name)?.addresses, failedMs);
    } finally {
      underWay.delete(name);
      const next = waiting.shift();
      if (next === undefined) active--;
      else next();
    }
  }

  /** @returns undefined: what is known of it is new enough. */
  function look(name: string): Promise<void> | undefined {
    if (performance.now() < (known.get(name)?.until ?? 0)) return undefined;
    const asked = underWay.get(name);
    if (asked !== undefined || underWay.size >= mostKept) return asked;
    const asking = find(name);
    underWay.set(name, asking);
    return asking;
  }

  /** What is late goes on: who asks next finds it. */
  async function lookAll(names: readonly string[], withinMs: number): Promise<void> {
    const asked = names.map(look).filter((one) => one !== undefined);
    if (asked.length === 0) return;
    await within(Promise.all(asked), withinMs, neverAborted, () => new Error("late")).catch(() => {});
  }

  let index: (NamesByAddress & { names: readonly string[]; changes: number; until: number }) | undefined;

  function indexOf(names: readonly string[]): NamesByAddress {
    const byAddress = new Map<string, string[]>();
    let missing = 0;
    let until = performance.now() + keptMs;
    for (const name of names) {
      const found = known.get(name);
      if (found?.addresses === undefined) missing++;
      if (found !== undefined) until = Math.min(until, found.until);
      for (const address of found?.addresses ?? []) {
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
      await lookAll([name], withinMs);
      return known.get(name)?.addresses;
    },
    async among(names, withinMs) {
      const isSame = index?.names === names && index.changes === changes && index.missing === 0;
      if (index && isSame && performance.now() < index.until) return index;
      await lookAll(names, withinMs);
      return indexOf(names);
    },
  };
}

const isUnknownName = (error: unknown) =>
  error instanceof Error && "code" in error && (error.code === "ENOTFOUND" || error.code === "ENODATA");
