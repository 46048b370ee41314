/** Every change is in the audit trail: old and new values of plain fields, only the names of others. */
import { expect, test } from "vitest";
import { createAuditQuery } from "../../src/admin/audit.ts";
import { admin } from "./make.ts";
import { openInventory } from "./support.ts";

test("the audit trail has an entry for an upsert and for each device and group it changes", async () => {
  const { apply, store } = await openInventory();
  await apply({
    groups: [{ name: "core", vars: { x: "canary" } }],
    devices: [{ name: "r1", host: "10.0.0.1", port: 22, group: "core" }, { name: "r2" }],
  });
  const change = {
    name: "r1",
    port: 2222,
    vars: { asn: "canary" },
    credential: { name: "file", ref: "canary" },
  };
  await apply({ devices: [change] });
  await apply({ devices: [{ name: "r1" }], groups: [] }, { mode: "mirror", source: undefined });
  const entries = (await store.audit.page({}, 100)).reverse();
  expect(entries.map(({ action, host, outcome, detail }) => [action, host, outcome, detail])).toEqual([
    ["inventory.import", null, "merge", "3 added, 0 changed, 0 removed, 0 unchanged"],
    ["inventory.group.put", null, "added", "core: vars.x"],
    ["inventory.device.put", "10.0.0.1", "added", "r1: host 10.0.0.1, port 22, group core"],
    ["inventory.device.put", "r2", "added", "r2"],
    ["inventory.import", null, "merge", "0 added, 1 changed, 0 removed, 0 unchanged"],
    ["inventory.device.put", "10.0.0.1", "changed", "r1: port 22 -> 2222, credential, vars.asn"],
    ["inventory.import", null, "mirror", "0 added, 1 changed, 2 removed, 0 unchanged"],
    ["inventory.group.remove", null, "removed", "core"],
    [
      "inventory.device.put",
      null,
      "changed",
      "r1: host 10.0.0.1 -> none, port 2222 -> none, credential, vars.asn, group core -> none",
    ],
    ["inventory.device.remove", "r2", "removed", "r2"],
  ]);
  expect(JSON.stringify(entries)).not.toContain("canary");
});

test("a change of one device has one audit entry; rejected changes and dry runs have none", async () => {
  const { inventory, store, apply } = await openInventory();
  await inventory.put("device", "r1", { port: 22 }, admin, undefined);
  await inventory.put("device", "r1", { port: 22 }, admin, undefined);
  await apply({ devices: [{ name: "r2" }] }, { dryRun: true });
  await expect(apply({ devices: [{}] })).rejects.toThrow();
  await inventory.remove("device", "R1", admin, undefined);
  const actions = (await store.audit.page({}, 100)).map(({ action, who }) => [action, who]);
  expect(actions).toEqual([
    ["inventory.device.remove", "admin (k1)"],
    ["inventory.device.put", "admin (k1)"],
  ]);
});

test("a limited key sees audit entries of its own devices only", async () => {
  const { apply, store } = await openInventory();
  await apply({
    devices: [
      { name: "a", host: "10.1.0.1" },
      { name: "b", host: "10.2.0.1" },
    ],
  });
  await apply({ devices: [{ name: "b", host: "10.1.0.2" }] });
  await apply({ devices: [{ name: "b", site: "x" }] });
  const { audit } = createAuditQuery({ store, iso: String });
  const limited = { ...admin, keyId: "k2", hosts: ["10.1.*"] };
  const { entries } = await audit({ limit: 50 }, limited);
  expect(entries.map(({ detail }) => detail)).toEqual(["b: site none -> x", "a: host 10.1.0.1"]);
});
