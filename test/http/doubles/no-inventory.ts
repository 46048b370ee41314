/** An inventory in which nothing is. */
import { ServiceError } from "../../../src/base/errors.ts";
import type { InventoryExchange } from "../../../src/inventory/exchange/port.ts";
import type { Sources } from "../../../src/inventory/exchange/sources-port.ts";
import type { Inventory } from "../../../src/inventory/port.ts";
import { createSnapshot } from "../../../src/inventory/snapshot/snapshot.ts";
import { emptyState } from "../../../src/inventory/snapshot/state.ts";

const notThere = () => Promise.reject(new ServiceError("NotFound", "There is no device of that name."));
const nothing = async () => ({ entries: [], next: undefined, total: 0 });

export const noInventory: Inventory = {
  snapshot: () => createSnapshot(emptyState),
  apply: notThere,
  upsert: notThere,
  listDevices: nothing,
  listGroups: nothing,
  read: notThere,
  put: notThere,
  patch: notThere,
  remove: notThere,
};

export const noExchange: InventoryExchange = {
  formats: () => ({
    imports: ["csv", "json"],
    exports: [{ name: "json", type: "application/json", file: "x.json" }],
  }),
  importText: notThere,
  exportText: async () => (async function* () {})(),
};

export const noSources: Sources = {
  list: async () => [],
  read: notThere,
  put: notThere,
  remove: notThere,
  sync: notThere,
  syncSource: notThere,
};
