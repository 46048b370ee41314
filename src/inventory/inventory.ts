/** The inventory: snapshots for reading, changes by document or by entry, filtered by what the key may reach. */

import { inventoryLimits } from "../api/inventory.ts";
import type { Caller } from "../auth/port.ts";
import type { Log } from "../base/log.ts";
import type { Store } from "../store/port.ts";
import { createChange } from "./change.ts";
import type { IsSecretField } from "./check.ts";
import type { NameCredential } from "./credential-reach.ts";
import { createEntries } from "./entries.ts";
import { createKnownFacts } from "./known-facts.ts";
import { createLists } from "./lists.ts";
import type { Limits } from "./plan.ts";
import type { Inventory } from "./port.ts";
import { createReader } from "./reader.ts";
import { requireWriter } from "./rights.ts";
import { readUpsert } from "./upsert.ts";

export interface InventoryOptions {
  readonly store: Pick<Store, "inventory" | "observations">;
  readonly log: Log;
  readonly iso: (ms: number) => string;
  readonly isSecretField: IsSecretField;
  readonly nameCredential: NameCredential;
  readonly limits?: Partial<Limits> | undefined;
}

export function createInventory(options: InventoryOptions): Inventory {
  const { log, iso, isSecretField, nameCredential } = options;
  const store = options.store.inventory;
  const facts = createKnownFacts({ store: options.store.observations, iso });
  const reader = createReader({ store, log, facts: facts.all });
  const limits = { ...inventoryLimits, ...options.limits };
  const change = createChange({ store, reader, isSecretField, nameCredential, limits });
  const snapshot = async () => (await reader.read()).snapshot;
  return {
    snapshot,
    apply: (document, applied, caller) => change(() => ({ document, options: applied }), caller, true),
    async upsert(body: unknown, caller: Caller) {
      requireWriter(caller);
      const request = readUpsert(body);
      return change(() => request, caller, true);
    },
    ...createLists({ snapshot, iso, facts }),
    ...createEntries({ snapshot, iso, change, facts }),
  };
}
