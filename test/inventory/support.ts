/** An inventory on its own store, and test data. */
import { onTestFinished } from "vitest";
import type { InventoryOptions } from "../../src/inventory/inventory.ts";
import type { ApplyOptions, Inventory, InventoryDocument } from "../../src/inventory/port.ts";
import type { StoreOptions } from "../../src/store/libsql/store.ts";
import { closeStore, makePlace, openStore, type StoreKind, type TestPlace } from "../store/support.ts";
import type { AnyStore } from "../support/any-store.ts";
import { admin, inventoryOn } from "./make.ts";

export { admin };

export interface Opened {
  readonly place: TestPlace;
  readonly store: AnyStore;
  readonly inventory: Inventory;
  apply(document: InventoryDocument, options?: ApplyOptions): ReturnType<Inventory["apply"]>;
  close(): Promise<void>;
}

/** Closed and removed when the test that calls ends, also by `openAt`. */
export async function openInventory(
  kind: StoreKind = "file",
  limits: InventoryOptions["limits"] = {},
): Promise<Opened> {
  const place = await makePlace(kind);
  onTestFinished(() => place.remove());
  return openAt(place, { limits });
}

/** Another node, or a restart, on the same database. */
export async function openAt(
  place: TestPlace,
  { limits, store: options }: { limits?: InventoryOptions["limits"]; store?: Partial<StoreOptions> } = {},
): Promise<Opened> {
  const store = await openStore(place, options);
  const inventory = inventoryOn(store, limits);
  let isOpen = true;
  const one: Opened = {
    place,
    store,
    inventory,
    apply: (document, applied = {}) => inventory.apply(document, applied, admin),
    async close() {
      if (isOpen) await closeStore(store);
      isOpen = false;
    },
  };
  onTestFinished(() => one.close());
  return one;
}

/** Paths and messages of the issues in a rejection. */
export async function issuesOf(refused: Promise<unknown>): Promise<Record<string, string>> {
  const error: unknown = await refused.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error) || !("detail" in error))
    throw new Error(`it was not refused: ${String(error)}`);
  const { issues = [] } = error.detail as { issues?: { path: string; message: string }[] };
  return Object.fromEntries(issues.map(({ path, message }) => [path, message]));
}
