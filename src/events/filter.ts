/** Filters batches for listeners; listeners with the same rights and filter share the result. */

import { canonicalHost } from "../api/identity.ts";
import type { Caller } from "../auth/port.ts";
import { maySeeJob, reachOf } from "../auth/reach.ts";
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import type { Batch } from "./batch.ts";
import type { EventFilter, JobChange } from "./port.ts";

/** The filtered changes of a batch: the same array for the same batch. */
export type Sieve = (batch: Batch) => readonly JobChange[];

/** Cache size; there are never more kinds of listeners than streams. */
const maxKinds = 2_000;

/** @returns a function that gets the sieve of a kind of listener. */
export function createSieves(): (filter: EventFilter, caller: Caller) => Sieve {
  const sieves = createBoundedCache<Sieve>(maxKinds);
  return (filter, caller) => {
    const { hosts, ...rest } = filter;
    const key = JSON.stringify([rest, hosts === undefined ? 0 : numberOf(hosts), reachKey(caller)]);
    const sieve = sieves.get(key) ?? sieveOf(filter, caller);
    sieves.set(key, sieve);
    return sieve;
  };
}

/** Callers with the same key see the same jobs. */
export function reachKey({ keyId, hosts }: Caller): string {
  if (hosts.length === 0) return "";
  const { selected } = reachOf(hosts);
  return JSON.stringify([keyId, hosts, ...(selected === undefined ? [] : [numberOf(selected)])]);
}

/** Distinguishes results of a selector at different inventory revisions. */
const numbers = new WeakMap<ReadonlySet<string>, number>();
let lastNumber = 0;

function numberOf(hosts: ReadonlySet<string>): number {
  const number = numbers.get(hosts) ?? ++lastNumber;
  numbers.set(hosts, number);
  return number;
}

function sieveOf({ bulkId, host, hosts, statuses }: EventFilter, caller: Caller): Sieve {
  const lists = new WeakMap<Batch, readonly JobChange[]>();
  const hostKey = host === undefined ? undefined : canonicalHost(host);
  const seesAll = !reachOf(caller.hosts).limited;
  const fits = (change: JobChange) =>
    change.damaged !== true &&
    (hostKey === undefined || canonicalHost(change.host) === hostKey) &&
    (hosts === undefined || hosts.has(canonicalHost(change.host))) &&
    (statuses === undefined || statuses.includes(change.status)) &&
    (seesAll || maySeeJob(caller, change));
  return (batch) => {
    const cached = lists.get(batch);
    if (cached !== undefined) return cached;
    const list = (bulkId === undefined ? batch.changes : batch.ofBulk(bulkId)).filter(fits);
    lists.set(batch, list);
    return list;
  };
}
