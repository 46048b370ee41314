/** Wires rehearsals and the record of lines. */
import type { Log } from "../../base/log.ts";
import { createForesights } from "../../history/restoring/foresights.ts";
import type { Inventory } from "../../inventory/port.ts";
import type { Pool } from "../../pool/port.ts";
import type { Registry } from "../../registry/registry.ts";
import { createLineRecord } from "../../rehearsal/record.ts";
import { createRehearsals } from "../../rehearsal/rehearsals.ts";
import { addressesOf } from "../../runtime/net/own-address.ts";
import type { Store } from "../../store/port.ts";

interface RehearsalParts {
  readonly store: Store;
  readonly pool: Pool;
  readonly inventory: Inventory;
  readonly log: Log;
  readonly iso: (ms: number) => string;
  readonly registry: Registry;
}

export function assembleRehearsals({ store, pool, inventory, log, iso, registry }: RehearsalParts) {
  const found = {
    driver: (name: string) => registry.get("driver", name),
    platform: (name: string) => registry.get("platform", name),
  };
  const foresights = createForesights({ store, pool, ...found });
  const lineRecord = createLineRecord({ store, inventory, log, iso, ...found });
  return {
    lineRecord,
    rehearsals: createRehearsals({ ...{ store, inventory, foresights, iso, addressesOf }, ...found }),
    /** Writes what pushes have taught, with what others write at the same time. */
    async beat(...others: readonly Promise<unknown>[]): Promise<void> {
      await Promise.all([lineRecord.flush(), ...others]);
    },
  };
}
