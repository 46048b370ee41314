/** Several processes write to one ledger: there is one chain, without forks and gaps. */
import { expect, test } from "vitest";
import { operator } from "../contract/fixture.ts";
import { checkedEntries } from "../contract/ledger.ts";
import { closeStore, endStore, makePlace, openStore, storeKinds } from "../support.ts";

for (const kind of storeKinds)
  test(`two that write at once, on a ${kind}`, async () => {
    const place = await makePlace(kind);
    const stores = [await openStore(place)];
    stores.push(await openStore(place, { ownsDirectory: false }));
    try {
      await Promise.all(
        stores.flatMap((store, node) =>
          Array.from({ length: 60 }, async (_, at) => {
            await new Promise((resolve) => setTimeout(resolve, at % 20));
            await store.credentials.set(
              { source: "file", ref: `${node}-${at}`, fields: { x: "y" } },
              operator,
            );
          }),
        ),
      );
      for (const store of stores) {
        const entries = await checkedEntries(store);
        expect(new Set(entries.map(({ detail }) => detail)).size).toBe(121);
        expect(entries).toHaveLength(121);
      }
    } finally {
      for (const store of stores.slice(1)) await closeStore(store);
      for (const store of stores.slice(0, 1)) await endStore(store);
      await place.remove();
    }
  });
