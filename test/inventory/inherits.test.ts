/** What a device inherits from its groups, and the origin of each value. */
import { expect, test } from "vitest";
import { openInventory } from "./support.ts";

const tree = [
  {
    name: "all",
    port: 22,
    driver: "netmiko",
    tags: ["lab"],
    vars: { ntp: "10.0.0.1", dns: "10.0.0.2" },
    window: ["Mon-Fri 22:00-05:00 Europe/Berlin"],
  },
  { name: "Core", parent: "all", platform: "cisco_ios", tags: ["core"], vars: { ntp: "10.0.0.9" } },
  { name: "edge", parent: "core", credential: { name: "file", ref: "edge" }, connection: { timeout: 5 } },
];

test("scalars come from the nearest group, variables are merged by name, and tags are combined", async () => {
  const { apply, inventory } = await openInventory();
  await apply({
    groups: tree,
    devices: [
      { name: "R1", host: "10.1.1.1", port: 2222, group: "edge", tags: ["x"], vars: { asn: 65_000 } },
    ],
  });
  const snapshot = await inventory.snapshot();
  expect(snapshot.device("r1")).toEqual({
    name: "R1",
    host: "10.1.1.1",
    hostKey: "10.1.1.1",
    port: 2222,
    platform: "cisco_ios",
    driver: "netmiko",
    site: null,
    role: null,
    tags: ["lab", "core", "x"],
    group: "edge",
    groups: ["edge", "Core", "all"],
    enabled: true,
    credential: { name: "file", ref: "edge" },
    connection: { timeout: 5 },
    vars: { ntp: "10.0.0.9", dns: "10.0.0.2", asn: 65_000 },
    window: ["Mon-Fri 22:00-05:00 Europe/Berlin"],
    change: null,
    changeFrom: {},
    source: null,
  });
  expect(snapshot.from("r1")).toEqual({
    host: "device",
    port: "device",
    driver: "group:all",
    platform: "group:Core",
    credential: "group:edge",
    group: "device",
    window: "group:all",
    "connection.timeout": "group:edge",
    "vars.ntp": "group:Core",
    "vars.dns": "group:all",
    "vars.asn": "device",
    "tags.lab": "group:all",
    "tags.core": "group:Core",
    "tags.x": "device",
  });
});

test("of what changes need, each member comes from the nearest group that says it", async () => {
  const { apply, inventory } = await openInventory();
  const groups = [
    { name: "all", change: { required: true, approvals: 2, ticket: "^CHG-\\d+$" } },
    { name: "edge", parent: "all", change: { approvals: 1, max_wave: "25%" } },
    { name: "lab", parent: "edge", change: { required: false } },
  ];
  await apply({
    groups,
    devices: [{ name: "r1", group: "edge" }, { name: "r2", group: "lab" }, { name: "r3" }],
  });
  const snapshot = await inventory.snapshot();
  expect(snapshot.device("r1")).toMatchObject({
    change: { required: true, approvals: 1, ticket: "^CHG-\\d+$", max_wave: "25%" },
    changeFrom: { required: "all", approvals: "edge", ticket: "all", max_wave: "edge" },
  });
  expect(snapshot.device("r2")?.change?.required).toBe(false);
  expect(snapshot.device("r3")?.change).toBeNull();
  expect(snapshot.from("r1")).toMatchObject({
    "change.required": "group:all",
    "change.max_wave": "group:edge",
  });
  expect(snapshot.hasPushRules).toBe(true);
  for (const change of [
    { ticket: "(?=a)b" },
    { ticket: "(a)\\1" },
    { max_wave: "0%" },
    { max_wave: 0 },
    { approvals: -1 },
    { needed: true },
  ])
    await expect(apply({ groups: [{ name: "all", change }] }), JSON.stringify(change)).rejects.toThrow();
  await expect(apply({ devices: [{ name: "r1", change: { required: true } }] })).rejects.toThrow();
});

test("a change of a group affects its devices, and earlier snapshots stay unchanged", async () => {
  const { apply, inventory } = await openInventory();
  await apply({ groups: tree, devices: [{ name: "r1", group: "edge" }, { name: "r2" }] });
  const before = await inventory.snapshot();
  const untouched = before.device("r2");
  await apply({ groups: [{ name: "all", port: 830 }] });
  const after = await inventory.snapshot();
  expect(before.device("r1")?.port).toBe(22);
  expect(after.device("r1")?.port).toBe(830);
  expect(after.device("r2")).toBe(untouched);
  expect(after.revision).toBe(before.revision + 1);
});

test("devices are found by any spelling of their host", async () => {
  const { apply, inventory } = await openInventory();
  await apply({
    devices: [
      { name: "a", host: "SW1.Example." },
      { name: "b", host: "sw1.example", port: 2222 },
      { name: "c", host: "2001:DB8::0:1" },
    ],
  });
  const snapshot = await inventory.snapshot();
  expect(snapshot.devicesAt("sw1.example").map(({ name }) => name)).toEqual(["a", "b"]);
  expect(snapshot.devicesAt("2001:db8::1").map(({ name }) => name)).toEqual(["c"]);
  expect(snapshot.devicesAt("10.0.0.1")).toEqual([]);
  expect(snapshot.all().map(({ name }) => name)).toEqual(["a", "b", "c"]);
});
