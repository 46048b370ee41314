/** Lists what a key may see: the devices it reaches, and their groups. */

import { entryKey } from "../api/inventory/inventory.ts";
import { requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { stringifyExact } from "../base/json/exact-json.ts";
import { giveWay } from "../base/time/yield.ts";
import type { KnownFacts } from "./known-facts.ts";
import type { EffectiveDevice, EffectiveGroup, Inventory, PageOf, Snapshot } from "./port.ts";
import { maySeeDevice } from "./rights.ts";
import { filteredDevices } from "./selector/matching-devices.ts";
import { deviceRecordOf, groupRecordOf, type Iso } from "./snapshot/records.ts";

export interface ListTools {
  readonly snapshot: () => Promise<Snapshot>;
  readonly iso: Iso;
  readonly facts: KnownFacts;
}

export type Lists = Pick<Inventory, "listDevices" | "listGroups">;

export function createLists({ snapshot, iso, facts }: ListTools): Lists {
  return {
    async listDevices(filter, caller, { limit, cursor, effective }) {
      requireScope(caller, "read");
      const current = await snapshot();
      const { devices } = await seenBy(caller, current);
      const fitting = await filteredDevices(devices, filter, current, shareOf(caller));
      const page = pageOf(fitting, limit, cursor, ({ name }) =>
        deviceRecordOf(current, name, effective, iso),
      );
      return { ...page, entries: await facts.shown(current, page.entries) };
    },
    async listGroups(caller, { limit, cursor, effective }) {
      requireScope(caller, "read");
      const current = await snapshot();
      const { devices, groups } = await seenBy(caller, current);
      const counts = effective ? await countsIn(devices) : undefined;
      return pageOf(groups, limit, cursor, ({ name }) => {
        const record = groupRecordOf(current, name, effective, iso);
        return record && counts ? { ...record, device_count: counts.get(entryKey(name)) ?? 0 } : record;
      });
    },
  };
}

export interface Seen {
  /** Sorted by name. */
  readonly devices: readonly EffectiveDevice[];
  readonly groups: readonly EffectiveGroup[];
}

/** A page ends early when its records exceed this many characters. */
const maxChars = 4 * 1024 * 1024;

/** Cached per snapshot, because the pages of a list are requested one after the other. */
const visibleBySnapshot = new WeakMap<Snapshot, WeakMap<readonly string[], Promise<Seen>>>();

export function seenBy(caller: Caller, snapshot: Snapshot): Promise<Seen> {
  if (caller.hosts.length === 0)
    return Promise.resolve({ devices: snapshot.all(), groups: snapshot.groups() });
  const ofSnapshot = visibleBySnapshot.get(snapshot) ?? new WeakMap<readonly string[], Promise<Seen>>();
  visibleBySnapshot.set(snapshot, ofSnapshot);
  const visible = ofSnapshot.get(caller.hosts) ?? findSeen(caller, snapshot);
  ofSnapshot.set(caller.hosts, visible);
  return visible;
}

async function findSeen(caller: Caller, snapshot: Snapshot): Promise<Seen> {
  const devices: EffectiveDevice[] = [];
  for (const device of snapshot.all()) {
    if (maySeeDevice(caller, device)) devices.push(device);
    const waits = giveWay();
    if (waits !== undefined) await waits;
  }
  const names = new Set(devices.flatMap(({ groups }) => groups));
  return { devices, groups: snapshot.groups().filter(({ name }) => names.has(name)) };
}

/** For the pages of a list, which are requested one after the other. */
const countsByDevices = new WeakMap<readonly EffectiveDevice[], ReadonlyMap<string, number>>();

/** How many devices each group has, with those of the groups below it, by the key of its name. */
async function countsIn(devices: readonly EffectiveDevice[]): Promise<ReadonlyMap<string, number>> {
  const known = countsByDevices.get(devices);
  if (known !== undefined) return known;
  const counts = new Map<string, number>();
  for (const { groups } of devices) {
    for (const name of groups) counts.set(entryKey(name), (counts.get(entryKey(name)) ?? 0) + 1);
    const waits = giveWay();
    if (waits !== undefined) await waits;
  }
  countsByDevices.set(devices, counts);
  return counts;
}

function pageOf<T extends { readonly name: string }, R>(
  entriesInOrder: readonly T[],
  limit: number,
  cursor: string | undefined,
  record: (entry: T) => R | undefined,
): PageOf<R> {
  const start = cursor === undefined ? 0 : startBehind(entriesInOrder, keyOfCursor(cursor));
  const entries: R[] = [];
  let at = start;
  for (let chars = 0; at < entriesInOrder.length && at < start + limit && chars < maxChars; at++) {
    const entry = entriesInOrder[at];
    const entryRecord = entry && record(entry);
    if (entryRecord === undefined) continue;
    chars += stringifyExact(entryRecord).length;
    entries.push(entryRecord);
  }
  const last = entriesInOrder[at - 1];
  const isEnd = at >= entriesInOrder.length;
  return {
    entries,
    next: isEnd || last === undefined ? undefined : Buffer.from(entryKey(last.name)).toString("base64url"),
    total: entriesInOrder.length,
  };
}

/** @throws ServiceError BadRequest */
function keyOfCursor(cursor: string): string {
  const key = Buffer.from(cursor, "base64url").toString("utf8");
  if (/^[\w.:-]{1,128}$/.test(key) && entryKey(key) === key) return key;
  throw new ServiceError("BadRequest", "The cursor is invalid: it was not issued by this service.");
}

/** Binary search: the index of the first name after the key. */
function startBehind(entries: readonly { readonly name: string }[], key: string): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entryKey(entries[middle]?.name ?? "") <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
