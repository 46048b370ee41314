/** Resolves the selectors in a key's hosts and attaches the matching hosts to the caller's list. */
import { LRUCache } from "lru-cache";
import { type SelectedHosts, selectorPrefix } from "./port.ts";
import { isSameSet, withSelected } from "./reach.ts";

/** Number of keys in use at the same time. */
const maxLists = 1_000;

/**
 * @returns a function that returns a key's hosts as used in its caller: the same list object while the selection is
 * unchanged.
 */
export function createSelectedReach(selectedHosts: SelectedHosts = async () => new Set()) {
  const lists = new LRUCache<
    string,
    { readonly selected: ReadonlySet<string>; readonly hosts: readonly string[] }
  >({
    max: maxLists,
  });

  return async (hosts: readonly string[]): Promise<readonly string[]> => {
    const selectors = hosts.filter((text) => text.startsWith(selectorPrefix));
    if (selectors.length === 0) return hosts;
    const selected = await selectedHosts(selectors.map((text) => text.slice(selectorPrefix.length)));
    const key = JSON.stringify(hosts);
    const cached = lists.get(key);
    // Keeps the identity, so that long answers are not ended by unrelated changes.
    if (cached !== undefined && isSameSet(cached.selected, selected)) return cached.hosts;
    const list = withSelected(hosts, selected);
    lists.set(key, { selected, hosts: list });
    return list;
  };
}
