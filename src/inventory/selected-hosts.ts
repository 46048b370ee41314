/** Which hosts the selectors of keys choose: looked for once for each revision of the inventory. */
import { LRUCache } from "lru-cache";
import type { SelectedHosts } from "../auth/port.ts";
import { hostOf } from "../base/host-match.ts";
import type { Inventory, Snapshot } from "./port.ts";
import { readReach, type Selector } from "./selector.ts";
import { createTurns } from "./turns.ts";

interface Found {
  readonly revision: number;
  readonly hosts: Promise<ReadonlySet<string>>;
}

/** Keys that are in use at the same time; each may hold as many hosts as there are devices. */
const mostLists = 200;

export function createSelectedHosts(inventory: Pick<Inventory, "snapshot">): SelectedHosts {
  const lists = new LRUCache<string, Found>({ max: mostLists });

  return async (texts) => {
    const snapshot = await inventory.snapshot();
    const key = JSON.stringify(texts);
    const known = lists.get(key);
    if (known?.revision === snapshot.revision) return known.hosts;
    const hosts = hostsOf(snapshot, texts.flatMap(readable));
    lists.set(key, { revision: snapshot.revision, hosts });
    hosts.catch(() => lists.delete(key));
    return hosts;
  };
}

/** What can not be read chooses nothing: it was written by another version. */
function readable(text: string): Selector[] {
  try {
    return [readReach(text)];
  } catch {
    return [];
  }
}

async function hostsOf(snapshot: Snapshot, selectors: readonly Selector[]): Promise<ReadonlySet<string>> {
  const hosts = new Set<string>();
  if (selectors.length === 0) return hosts;
  const turn = createTurns();
  for (const device of snapshot.all()) {
    const waits = turn();
    if (waits !== undefined) await waits;
    // What its group would say is not known: nobody reaches it for want of a tag.
    if (device.lostGroup !== undefined) continue;
    if (selectors.some((selector) => selector.matches(device))) hosts.add(hostOf(device.host).text);
  }
  return hosts;
}
