/** A key limited to credentials changes no entry that logs in, or would log in, with another one. */
import { expect, test } from "vitest";
import type { Caller } from "../../src/auth/port.ts";
import type { InventoryDocument } from "../../src/inventory/port.ts";
import { admin, openInventory } from "./support.ts";

const limited: Caller = { ...admin, credentials: ["file:lab"] };
const core = { name: "file", ref: "core" };
const lab = { name: "file", ref: "lab" };
const before: InventoryDocument = {
  groups: [
    { name: "site", credential: core, connection: { proxy_host: "10.0.0.9" } },
    { name: "leaf", parent: "site" },
    { name: "lab", credential: lab },
    { name: "empty", credential: core },
  ],
  devices: [
    { name: "r1", host: "10.0.0.1", group: "leaf" },
    { name: "r2", host: "10.0.0.2", credential: core },
    { name: "l1", host: "10.0.0.3", group: "lab" },
  ],
};

test.each<[string, InventoryDocument]>([
  ["moves a device with its own credential", { devices: [{ name: "r2", host: "10.6.6.6" }] }],
  ["moves a device that inherits one", { devices: [{ name: "r1", host: "10.6.6.6" }] }],
  ["changes its port", { devices: [{ name: "r1", port: 2222 }] }],
  [
    "changes the jump host of a group",
    { groups: [{ name: "site", connection: { proxy_host: "10.6.6.6" } }] },
  ],
  [
    "changes the jump host of a group without devices",
    { groups: [{ name: "empty", connection: { proxy_host: "x" } }] },
  ],
  ["sets a credential", { devices: [{ name: "l1", credential: core }] }],
  ["replaces a credential", { devices: [{ name: "r2", credential: lab }] }],
  ["adds a device with one", { devices: [{ name: "new", host: "10.6.6.6", credential: core }] }],
  ["adds a device to a group with one", { devices: [{ name: "new", host: "10.6.6.6", group: "leaf" }] }],
  ["moves a group below one with it", { groups: [{ name: "lab", parent: "site", credential: null }] }],
])("it is refused if it %s", async (_what, document) => {
  const { apply, inventory } = await openInventory();
  await apply(before);
  await expect(inventory.apply(document, {}, limited)).rejects.toMatchObject({
    kind: "Forbidden",
    message: expect.stringMatching(
      /may not use the credential file:core\. The (device|group) \w+ logs in with it/,
    ),
  });
  await expect(inventory.apply(document, { dryRun: true }, limited)).rejects.toMatchObject({
    kind: "Forbidden",
  });
  expect((await inventory.snapshot()).revision).toBe(1);
  // A key without a list of its own may.
  await inventory.apply(document, {}, admin);
});

test("what does not change who logs in where is allowed, and so is everything with its own credential", async () => {
  const { apply, inventory } = await openInventory();
  await apply(before);
  await inventory.apply(
    { devices: [{ name: "r1", site: "ber", vars: { asn: 1 }, tags: ["x"] }] },
    {},
    limited,
  );
  await inventory.apply({ devices: [{ name: "l1", host: "10.0.0.4" }, { name: "n1" }] }, {}, limited);
  await inventory.apply({ groups: [{ name: "leaf", description: "d" }] }, {}, limited);
  const mirrored = { devices: [{ name: "r2", host: "10.0.0.2", credential: core }] };
  await inventory.apply(mirrored, { mode: "mirror" }, limited);
  expect((await inventory.snapshot()).all().map(({ name }) => name)).toEqual(["r2"]);
});
