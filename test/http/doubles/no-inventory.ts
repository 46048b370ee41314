/** An inventory in which nothing is. */
import type { InventoryExchange } from "../../../src/inventory/exchange/port.ts";
import type { Sources } from "../../../src/inventory/exchange/sources-port.ts";
import type { Inventory } from "../../../src/inventory/port.ts";
import { createSnapshot } from "../../../src/inventory/snapshot/snapshot.ts";
import { emptyState } from "../../../src/inventory/snapshot/state.ts";
import { doubleOf } from "./double.ts";

const nothing = async () => ({ entries: [], next: undefined, total: 0 });

export const noInventory = doubleOf<Inventory>({
  snapshot: () => createSnapshot(emptyState),
  listDevices: nothing,
  listGroups: nothing,
});

export const noExchange = doubleOf<InventoryExchange>({
  formats: () => ({
    imports: ["csv", "json"],
    exports: [{ name: "json", type: "application/json", file: "x.json" }],
  }),
  exportText: async () => (async function* () {})(),
});

export const noSources = doubleOf<Sources>({
  list: async () => [],
});
