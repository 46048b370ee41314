/** Upserts of many devices and groups: what is added, changed and removed, previewed first. */
import { expect, test } from "vitest";
import { issuesOf, openInventory } from "./support.ts";

test("merge, replace and mirror differ in fields reset and devices removed", async () => {
  const { apply, inventory } = await openInventory();
  const first = await apply({ devices: [{ name: "a", port: 22, site: "x" }, { name: "b" }, { name: "c" }] });
  expect(first).toMatchObject({
    dry_run: false,
    added: 3,
    changed: 0,
    removed: 0,
    unchanged: 0,
    revision: 1,
  });
  const merged = await apply({ devices: [{ name: "A", port: 2222 }, { name: "b" }] });
  expect(merged).toMatchObject({ added: 0, changed: 1, unchanged: 1 });
  expect(merged.diff).toEqual([
    {
      kind: "device",
      name: "A",
      change: "changed",
      fields: { name: { from: "a", to: "A" }, port: { from: 22, to: 2222 } },
    },
  ]);
  const replaced = await apply({ devices: [{ name: "a", port: 830 }] }, { mode: "replace" });
  expect(replaced.diff[0]?.fields).toMatchObject({ site: { from: "x", to: null } });
  const cleared = await apply({ devices: [{ name: "a", port: null }] });
  expect(cleared.diff[0]?.fields).toEqual({ port: { from: 830, to: null } });
  const mirrored = await apply({ devices: [{ name: "a" }, { name: "d" }] }, { mode: "mirror" });
  expect(mirrored).toMatchObject({ added: 1, removed: 2, unchanged: 1 });
  expect((await inventory.snapshot()).all().map(({ name }) => name)).toEqual(["a", "d"]);
});

test("a dry run reports changes without applying them, and limits reject the whole upsert", async () => {
  const { apply, inventory } = await openInventory();
  await apply({ devices: [{ name: "a" }, { name: "b" }, { name: "c" }] });
  const dry = await apply({ devices: [{ name: "d" }] }, { mode: "mirror", dryRun: true, maxRemovals: 1 });
  expect(dry).toMatchObject({ dry_run: true, added: 1, removed: 3, revision: 1 });
  const removing = apply({ devices: [{ name: "d" }] }, { mode: "mirror", maxRemovals: 2 });
  expect(await issuesOf(removing)).toEqual({
    max_removals: "3 would be removed, more than 2. Nothing was changed.",
  });
  const changing = apply({ devices: [{ name: "d" }, { name: "e" }] }, { maxChanges: 1 });
  expect(Object.keys(await issuesOf(changing))).toEqual(["max_changes"]);
  expect((await inventory.snapshot()).revision).toBe(1);
});

test("a mirror of a source removes only devices that came from that source", async () => {
  const { apply, inventory } = await openInventory();
  await apply({ devices: [{ name: "mine" }] });
  const source = "netbox";
  await apply({ devices: [{ name: "a" }, { name: "b" }] }, { mode: "mirror", source });
  await apply({ devices: [{ name: "b", site: "x" }] }, { mode: "mirror", source });
  const snapshot = await inventory.snapshot();
  expect(snapshot.all().map(({ name, source }) => [name, source])).toEqual([
    ["b", "netbox"],
    ["mine", null],
  ]);
});

test("an invalid upsert is rejected as a whole, with the path of each error", async () => {
  const { apply, inventory } = await openInventory();
  const refused = apply({
    groups: [{ name: "g", parent: "h" }],
    devices: [
      { name: "ok" },
      { name: "a", port: 70_000, sight: "x" },
      { name: "OK" },
      "text",
      { name: "r:1" },
      { name: "s", vars: { snmp: { community: "canary" } }, connection: { secret: "canary", host: "x" } },
      {},
    ],
  });
  const issues = await issuesOf(refused);
  expect(issues).toEqual({
    "devices.1.port": "must be at most 65535",
    "devices.1.sight": expect.stringContaining("is not a field of a device: known are name, host"),
    "devices.2.name": "is also used by devices.0",
    "devices.3": "must be an object: a device",
    "devices.4.host": expect.stringContaining("is required"),
    "devices.5.connection.secret": expect.stringContaining("use a credential"),
    "devices.5.connection.host": "belongs in the field host of the device",
    "devices.5.vars.snmp.community": expect.stringContaining("use a credential"),
    "devices.6.name": "is required",
  });
  expect(JSON.stringify(issues)).not.toContain("canary");
  expect(
    await issuesOf(apply({ groups: [{ name: "g", parent: "h" }], devices: [{ name: "d", group: "i" }] })),
  ).toEqual({
    "groups.0.parent": "there is no group h: create it, or set create_groups",
    "devices.0.group": "there is no group i: create it, or set create_groups",
  });
  expect((await inventory.snapshot()).size).toBe(0);
});
