/** Keys whose hosts hold selectors: what those choose now goes with the list of the caller. */
import { LRUCache } from "lru-cache";
import { type SelectedHosts, selectorPrefix } from "./port.ts";
import { isSameSet, withSelected } from "./reach.ts";

/** Of keys that are in use at the same time. */
const mostLists = 1_000;

/** @returns gives the hosts of a key as its caller has them: the same list as long as the same devices are chosen. */
export function createSelectedReach(selectedHosts: SelectedHosts = async () => new Set()) {
  const lists = new LRUCache<
    string,
    { readonly selected: ReadonlySet<string>; readonly hosts: readonly string[] }
  >({
    max: mostLists,
  });

  return async (hosts: readonly string[]): Promise<readonly string[]> => {
    const selectors = hosts.filter((text) => text.startsWith(selectorPrefix));
    if (selectors.length === 0) return hosts;
    const selected = await selectedHosts(selectors.map((text) => text.slice(selectorPrefix.length)));
    const key = JSON.stringify(hosts);
    const known = lists.get(key);
    // An answer that goes on is not ended by changes of others.
    if (known !== undefined && isSameSet(known.selected, selected)) return known.hosts;
    const list = withSelected(hosts, selected);
    lists.set(key, { selected, hosts: list });
    return list;
  };
}
