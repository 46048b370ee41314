/** Contract of `inventory`: atomic writes on an expected revision, visible to readers of changes. */
import { expect, test } from "vitest";
import type { InventoryWrite, NewInventoryEntry } from "../../../src/store/port.ts";
import { type MakeStorePlace, useStore } from "./fixture.ts";

export function inventoryEntry(key: string, own: string | null = `{"name":"${key}"}`): NewInventoryEntry {
  return { key, hostKey: own === null ? "" : key, group: null, source: null, own };
}

export function inventoryWrite(expected: number, more: Partial<InventoryWrite> = {}): InventoryWrite {
  const by = { keyId: "k1", name: "admin", from: null };
  return { expected, devices: [], groups: [], by, audit: [], ...more };
}

export function inventoryContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("an inventory write is accepted only at its expected revision, with its audit entries", async () => {
    const { inventory, audit } = fixture.store;
    expect(await inventory.revision()).toBe(0);
    const entry = { action: "inventory.import" as const, outcome: "merge", detail: "2 added" };
    const devices = [inventoryEntry("b"), inventoryEntry("a")];
    expect(await inventory.write(inventoryWrite(0, { devices, audit: [entry] }))).toBe(1);
    const stale = inventoryWrite(0, { devices: [inventoryEntry("c")], audit: [entry] });
    expect(await inventory.write(stale)).toBeUndefined();
    expect(await inventory.revision()).toBe(1);
    expect(await audit.page({}, 10)).toMatchObject([{ who: "admin (k1)", ...entry }]);
    const page = await inventory.changed("device", { revision: 0 }, 10);
    expect(page).toMatchObject({ revision: 1, purged: 0 });
    expect(page.entries.map(({ key, own }) => [key, own])).toEqual([
      ["a", '{"name":"a"}'],
      ["b", '{"name":"b"}'],
    ]);
  });

  test("changed and removed entries are read in pages, in order of revision", async () => {
    const { inventory } = fixture.store;
    const keys = Array.from({ length: 250 }, (_, at) => `d${String(at).padStart(3, "0")}`);
    await inventory.write(inventoryWrite(0, { devices: keys.map((key) => inventoryEntry(key)) }));
    const groups = [inventoryEntry("g")];
    await inventory.write(inventoryWrite(1, { devices: [inventoryEntry("d007", null)], groups }));
    const first = await inventory.changed("device", { revision: 0 }, 100);
    expect(first.entries.at(-1)).toMatchObject({ key: "d100", revision: 1 });
    const behind = first.entries.at(-1) ?? { revision: 0 };
    const second = await inventory.changed("device", behind, 200);
    expect(second.entries).toHaveLength(150);
    expect(second.entries.at(-1)).toMatchObject({ key: "d007", own: null, revision: 2, damaged: false });
    expect((await inventory.changed("group", { revision: 1 }, 10)).entries).toMatchObject([{ key: "g" }]);
    expect(await inventory.changed("device", { revision: 2 }, 10)).toMatchObject({
      revision: 2,
      entries: [],
    });
  });

  test("inventory entries survive a reopen and are sealed on disk", async () => {
    const secret = '{"name":"a","vars":{"x":"canary-own"}}';
    await fixture.store.inventory.write(inventoryWrite(0, { devices: [inventoryEntry("a", secret)] }));
    const store = await fixture.reopen();
    const page = await store.inventory.changed("device", { revision: 0 }, 10);
    expect(page.entries).toMatchObject([{ own: secret, damaged: false }]);
  });
}
