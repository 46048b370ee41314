/** Unreadable groups and devices of the inventory: their absence never permits a push or access. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { createInventory } from "../../src/inventory/inventory.ts";
import type { Inventory } from "../../src/inventory/port.ts";
import { createSelectedHosts } from "../../src/inventory/selector/selected-hosts.ts";
import { createHostAddresses } from "../../src/jobs/request/device/host-addresses.ts";
import type { CheckedOperation } from "../../src/jobs/request/operation.ts";
import { createPushGate } from "../../src/jobs/request/push-gate.ts";
import type { InventoryStore } from "../../src/store/port.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const webhooks = { async noteBreakGlass() {} };
const folder = temporary();
const addresses = createHostAddresses(async () => []);
let node: Node;

beforeAll(async () => {
  node = await startNode({ directory: folder.path });
  const groups = [
    { name: "core", window: ["daily 12:00-12:01"], tags: ["guarded"] },
    { name: "berlin", parent: "core" },
    { name: "free" },
  ];
  const devices = [
    { name: "d1", host: "r1", group: "berlin" },
    { name: "d2", host: "r2", group: "free" },
    { name: "d3", host: "r3", group: "core" },
    { name: "d4", host: "r4" },
  ];
  await node.inventory.apply({ groups, devices }, {}, admin);
});
afterAll(async () => {
  await node.stop();
  folder.remove();
});

/** The inventory of a node for which these entries are damaged. */
function inventoryWithout(kind: "group" | "device", ...keys: string[]): Inventory {
  const { inventory, observations } = node.store;
  const changed: InventoryStore["changed"] = async (asked, behind, limit) => {
    const page = await inventory.changed(asked, behind, limit);
    const entries = page.entries.map((entry) =>
      asked === kind && keys.includes(entry.key) ? { ...entry, own: null, damaged: true } : entry,
    );
    return { ...page, entries };
  };
  return createInventory({
    store: { inventory: { ...inventory, changed }, observations },
    log: silentLog,
    iso: String,
    isSecretField: () => false,
    nameCredential: async ({ name, ref }) => ({ name: `${name}:${ref}`, kept: true }),
  });
}

async function pushed(inventory: Inventory, host: string): Promise<string> {
  const operation = { operation: "config", host, warnings: [], ttlMs: 1_000, payload: {} };
  // Only these members are used.
  const checked = { ok: true, operation, hosts: [] } as unknown as CheckedOperation;
  const clock = { wall: () => Date.parse("2027-03-10T01:00:00Z") };
  const restricted = await createPushGate(
    { inventory, store: { clock, webhooks }, iso: String, addresses },
    { caller: admin, change: false },
  )(checked);
  if (!restricted.ok) return restricted.issues.map(({ message }) => message).join();
  return restricted.operation.notBefore === undefined ? "runs" : "held";
}

test("pushes to a group that cannot be read, or to its subgroups, fail; other pushes run", async () => {
  const inventory = inventoryWithout("group", "core");
  for (const host of ["r1", "r3"])
    expect(await pushed(inventory, host)).toMatch(/group core, which cannot be read/);
  for (const host of ["r2", "r4"]) expect(await pushed(inventory, host)).toBe("runs");
  const shown = await inventory.read("device", "d1", admin, true);
  expect(shown).not.toHaveProperty("lostGroup");
});

test("a device that cannot be read is still subject to the window of its group", async () => {
  const inventory = inventoryWithout("device", "d1", "d2", "d3", "d4");
  expect(await Promise.all(["r1", "r2", "r3", "r4"].map((host) => pushed(inventory, host)))).toEqual([
    "held",
    "runs",
    "held",
    "runs",
  ]);
  const both = inventoryWithout("device", "d1");
  expect((await both.snapshot()).size).toBe(3);
});

test("a key with `not tag:x` does not reach devices whose tags cannot be read", async () => {
  const hosts = createSelectedHosts(inventoryWithout("group", "core"));
  expect([...(await hosts(["not tag:guarded"]))].sort()).toEqual(["r2", "r4"]);
});
