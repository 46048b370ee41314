/** Lists of groups count the devices below each. */
import { expect, test } from "vitest";
import { admin, openInventory } from "./support.ts";

const page = { limit: 100, cursor: undefined };

test("a group counts its devices and those of the groups below it, as far as the caller sees them", async () => {
  const { inventory, apply } = await openInventory();
  await apply({
    groups: [{ name: "Core" }, { name: "leaf", parent: "core" }, { name: "empty" }],
    devices: [
      { name: "c1", host: "10.1.0.1", group: "core" },
      { name: "l1", host: "10.1.0.2", group: "leaf" },
      { name: "l2", host: "10.2.0.1", group: "leaf", enabled: false },
    ],
  });
  const counts = async (caller = admin, effective = true) => {
    const { entries } = await inventory.listGroups(caller, { ...page, effective });
    return Object.fromEntries(entries.map(({ name, device_count }) => [name, device_count]));
  };
  expect(await counts()).toEqual({ Core: 3, leaf: 2, empty: 0 });
  expect(await counts({ ...admin, hosts: ["10.1.*"] })).toEqual({ Core: 2, leaf: 1 });
  expect(await counts(admin, false)).toEqual({ Core: undefined, leaf: undefined, empty: undefined });
  const [core] = (await inventory.listGroups(admin, { ...page, effective: true })).entries;
  await inventory.put("group", "core", { ...core, description: "sent back" }, admin, undefined);
  await apply({ devices: [{ name: "c2", host: "10.1.0.9", group: "core" }] });
  expect(await counts()).toMatchObject({ Core: 4 });
});
