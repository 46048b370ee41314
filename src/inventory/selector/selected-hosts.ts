/** Resolves the selectors of keys to hosts, once per inventory revision. */
import { LRUCache } from "lru-cache";
import type { SelectedHosts } from "../../auth/port.ts";
import { hostOf } from "../../base/net/host-match.ts";
import type { EffectiveDevice, Inventory, Snapshot } from "../port.ts";
import { matchingDevices } from "./matching-devices.ts";
import { readReach, type Selector } from "./selector.ts";

interface Found {
  readonly revision: number;
  readonly hosts: Promise<ReadonlySet<string>>;
}

/** Cached host lists; each may hold as many hosts as there are devices. */
const maxLists = 200;

export function createSelectedHosts(inventory: Pick<Inventory, "snapshot">): SelectedHosts {
  const lists = new LRUCache<string, Found>({ max: maxLists });

  return async (texts) => {
    const snapshot = await inventory.snapshot();
    const key = JSON.stringify(texts);
    const cached = lists.get(key);
    if (cached?.revision === snapshot.revision) return cached.hosts;
    const hosts = hostsOf(snapshot, texts.flatMap(readable));
    lists.set(key, { revision: snapshot.revision, hosts });
    hosts.catch(() => lists.delete(key));
    return hosts;
  };
}

/** A selector that cannot be parsed, as one of a newer version, matches nothing. */
function readable(text: string): Selector[] {
  try {
    return [readReach(text, "hosts")];
  } catch {
    return [];
  }
}

/** Keys take turns with the lists of all callers: whoever comes first after a change waits for the evaluation. */
async function hostsOf(snapshot: Snapshot, selectors: readonly Selector[]): Promise<ReadonlySet<string>> {
  if (selectors.length === 0) return new Set();
  // The tags of an unreadable group are unknown: a selector must not match for lack of one.
  const isKnown = ({ lostGroup }: EffectiveDevice) => lostGroup === undefined;
  const devices = await matchingDevices(snapshot.all(), selectors, snapshot, { whose: "" }, isKnown);
  return new Set(devices.map(({ host }) => hostOf(host).text));
}
