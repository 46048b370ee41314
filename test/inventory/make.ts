/** Creates an inventory for tests on an open store. */
import type { Caller } from "../../src/auth/port.ts";
import { silentLog } from "../../src/base/log.ts";
import { isSecretName } from "../../src/base/secrets/secret-name.ts";
import { createInventory, type InventoryOptions } from "../../src/inventory/inventory.ts";
import type { Inventory } from "../../src/inventory/port.ts";

export const admin: Caller = { keyId: "k1", name: "admin", scope: "admin", hosts: [], from: null };

export function inventoryOn(
  store: InventoryOptions["store"],
  limits: InventoryOptions["limits"] = {},
): Inventory {
  return createInventory({
    store,
    log: silentLog,
    iso: (ms) => new Date(ms).toISOString(),
    isSecretField: (name) => name === "secret" || isSecretName(name),
    nameCredential: async ({ name, ref }) => ({ name: `${name}:${ref}`, kept: true }),
    limits,
  });
}
