/** Several nodes, restarts and copies: all see the latest state of the inventory. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { storeKinds } from "../store/support.ts";
import { temporary } from "../support/temporary.ts";
import { admin } from "./make.ts";
import { openAt, openInventory } from "./support.ts";

describe.each(storeKinds)("an inventory shared by nodes, store: %s", (kind) => {
  test("shows the changes and removals of one node on another", async () => {
    const first = await openInventory(kind);
    const second = await openAt(first.place, { store: { ownsDirectory: false } });
    await first.apply({
      groups: [{ name: "g", site: "x" }],
      devices: [{ name: "a", group: "g" }, { name: "b" }],
    });
    expect((await second.inventory.snapshot()).device("a")).toMatchObject({ site: "x" });
    await second.apply({ devices: [{ name: "a", port: 22 }] }, { mode: "mirror" });
    await first.apply({ groups: [{ name: "g", site: "y" }] });
    for (const { inventory } of [first, second]) {
      const snapshot = await inventory.snapshot();
      expect(snapshot.revision).toBe(3);
      expect(snapshot.all()).toMatchObject([{ name: "a", port: 22, site: null }]);
      expect(snapshot.group("g")).toMatchObject({ site: "y" });
    }
  });

  test("keeps all concurrent changes complete", async () => {
    const first = await openInventory(kind);
    const second = await openAt(first.place, { store: { ownsDirectory: false } });
    const names = (node: string, round: number) => [0, 1, 2].map((at) => ({ name: `${node}${round}-${at}` }));
    const writes = [0, 1, 2, 3].flatMap((round) => [
      first.apply({ devices: names("a", round) }),
      second.apply({ devices: names("b", round) }),
    ]);
    const answers = await Promise.all(writes);
    expect(answers.every(({ added }) => added === 3)).toBe(true);
    expect(new Set(answers.map(({ revision }) => revision)).size).toBe(8);
    expect((await first.inventory.snapshot()).size).toBe(24);
    expect((await second.inventory.snapshot()).size).toBe(24);
  });
});

test("a node that was away longer than removals are kept reloads the whole inventory", async () => {
  let hours = 0;
  const clock = { wall: () => Date.now() + hours * 3_600_000, monotonic: () => performance.now() };
  const first = await openInventory();
  await first.close();
  const writer = await openAt(first.place, { store: { clock } });
  const absentNode = await openAt(first.place, { store: { ownsDirectory: false } });
  await writer.apply({ devices: [{ name: "a" }, { name: "b" }] });
  expect((await absentNode.inventory.snapshot()).size).toBe(2);
  await writer.inventory.remove("device", "a", admin, undefined);
  hours = 2;
  await writer.apply({ devices: [{ name: "c" }] });
  const { rows } = await writer.store.raw("select name from inventory_devices order by name");
  expect(rows).toEqual([["b"], ["c"]]);
  expect((await absentNode.inventory.snapshot()).all().map(({ name }) => name)).toEqual(["b", "c"]);
});

test("a restart and a copy of the directory keep the inventory", async () => {
  const first = await openInventory();
  await first.apply({ groups: [{ name: "g", port: 830 }], devices: [{ name: "a", group: "G" }] });
  const copy = temporary();
  await first.store.backup(join(copy.path, "patchbay.db"));
  await first.close();
  for (const directory of [first.place.directory, copy.path]) {
    const again = await openAt({ directory, remove: async () => {} });
    const snapshot = await again.inventory.snapshot();
    expect(snapshot).toMatchObject({ revision: 1, size: 1 });
    expect(snapshot.device("a")).toMatchObject({ port: 830, groups: ["g"] });
    await again.close();
  }
  rmSync(copy.path, { recursive: true, force: true });
});

test("an entry that cannot be read does not affect others", async () => {
  const { apply, store, place, close } = await openInventory();
  await apply({
    groups: [{ name: "g" }],
    devices: [
      { name: "a", group: "g" },
      { name: "b", group: "g" },
    ],
  });
  await store.raw("update inventory_devices set own = x'00' where name = 'a'");
  await store.raw("update inventory_groups set own = x'00'");
  await close();
  const again = await openAt(place);
  const snapshot = await again.inventory.snapshot();
  expect(snapshot.all()).toMatchObject([{ name: "b", group: null, groups: [] }]);
  await again.apply({ devices: [{ name: "a" }, { name: "b", group: null }] });
  expect((await again.inventory.snapshot()).size).toBe(2);
});

test("a restored older inventory is reloaded while the node runs", async () => {
  const { apply, inventory, store } = await openInventory();
  await apply({ devices: [{ name: "a" }] });
  await apply({ devices: [{ name: "b" }] });
  expect((await inventory.snapshot()).size).toBe(2);
  await store.raw("delete from inventory_devices where name = 'b'");
  await store.raw("update inventory_state set revision = 1");
  expect(await inventory.snapshot()).toMatchObject({ revision: 1, size: 1 });
});
