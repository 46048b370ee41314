/** The first import of real files: groups that do not exist yet, one fault in every row, semicolons, large groups. */
import { expect, test } from "vitest";
import { inventoryLimits } from "../../src/api/inventory/inventory.ts";
import { exchangeOf } from "./exchange-support.ts";
import { issuesOf, openInventory } from "./support.ts";

const rows = (count: number, fields: string) =>
  Array.from({ length: count }, (_, at) => `r${at},${fields}`).join("\n");

test("a CSV with a column group is one issue per group, not per row", async () => {
  const { inventory } = await openInventory();
  const text = `name,group\n${rows(420, "core")}\nx1,edge\nx2,edge\n`;
  expect(await issuesOf(exchangeOf(inventory).take("csv", text))).toEqual({
    "line 2.group": "there is no group core: create it, or set create_groups (420 rows; this is the first)",
    "line 422.group": "there is no group edge: create it, or set create_groups",
    "line 423.group": "there is no group edge: create it, or set create_groups",
  });
  const { answer } = await exchangeOf(inventory).take("csv", text, { createGroups: true });
  expect(answer).toMatchObject({ added: 424, unchanged: 0 });
  const snapshot = await inventory.snapshot();
  expect(snapshot.groups().map(({ name }) => name)).toEqual(["core", "edge"]);
  expect(snapshot.device("r7")?.groups).toEqual(["core"]);
  expect((await exchangeOf(inventory).take("csv", text, { createGroups: true })).answer).toMatchObject({
    unchanged: 422,
  });
});

test("create_groups also makes parents, leaves known groups alone, and dry_run shows it", async () => {
  const { apply, inventory } = await openInventory();
  await apply({ groups: [{ name: "core", vars: { a: 1 } }] });
  const document = {
    groups: [{ name: "Edge", parent: "site" }],
    devices: [
      { name: "r1", group: "CORE" },
      { name: "r2", group: "edge" },
    ],
  };
  expect(await apply(document, { createGroups: true, dryRun: true })).toMatchObject({ added: 4, changed: 0 });
  expect(await apply(document, { createGroups: true })).toMatchObject({ added: 4, changed: 0 });
  const snapshot = await inventory.snapshot();
  expect(snapshot.groups().map(({ name }) => name)).toEqual(["core", "Edge", "site"]);
  expect(snapshot.device("r1")?.vars).toEqual({ a: 1 });
  expect(snapshot.device("r2")?.groups).toEqual(["Edge", "site"]);
});

test("any other fault of every row is summed, too", async () => {
  const { inventory } = await openInventory();
  expect(await issuesOf(exchangeOf(inventory).take("csv", `name,port\n${rows(2_000, "http")}\n`))).toEqual({
    "line 2": "port: must be a number from 1 to 65535 (2000 rows; this is the first)",
  });
  expect(
    await issuesOf(exchangeOf(inventory).take("csv", `name,host\n${rows(2_000, "not a host")}\n`)),
  ).toEqual({
    "line 2.host": "must be a host name or an address (2000 rows; this is the first)",
  });
});

test.each([
  ["semicolons", 'name;host;tags\nr1;10.0.0.1;"a;b"\n'],
  ["tabs", "name\thost\ttags\nr1\t10.0.0.1\ta;b\n"],
  ["semicolons after a byte order mark", '\ufeffname;host;tags\r\nr1;10.0.0.1;"a;b"\r\n'],
  ["commas, with semicolons in a title", 'name,"host",tags\nr1,10.0.0.1,a;b\n'],
])("CSV with %s is read", async (_, text) => {
  const { inventory } = await openInventory();
  await exchangeOf(inventory).take("csv", text);
  expect((await inventory.snapshot()).device("r1")).toMatchObject({ host: "10.0.0.1", tags: ["a", "b"] });
});

test("a delimiter can be given", async () => {
  const { inventory } = await openInventory();
  await exchangeOf(inventory).take("csv", "name|host\nr1|10.0.0.1\n", { delimiter: "|" });
  expect((await inventory.snapshot()).device("r1")?.host).toBe("10.0.0.1");
  const wrong = exchangeOf(inventory).take("csv", "name|host\n", { delimiter: "||" });
  expect(await issuesOf(wrong)).toEqual({ delimiter: "must be one character" });
});

test("a group may hold a megabyte of variables, a device a quarter of it", async () => {
  const { apply, inventory } = await openInventory();
  const hosts = (bytes: number) => ({
    hosts: "[core]\nr1\n",
    group_vars: { "core.yml": `acl:\n${"  - permit ip any any\n".repeat(bytes / 25)}` },
  });
  const { groupBytes, entryBytes } = inventoryLimits;
  await exchangeOf(inventory).take("ansible", JSON.stringify(hosts(groupBytes)));
  expect(JSON.stringify((await inventory.snapshot()).device("r1")?.vars).length).toBeGreaterThan(700_000);
  const tooLarge = exchangeOf(inventory).take("ansible", JSON.stringify(hosts(2 * groupBytes)));
  expect(Object.values(await issuesOf(tooLarge))).toEqual([
    `has more than ${groupBytes} bytes as JSON, which is the maximum of a group`,
  ]);
  const device = { name: "r2", vars: { x: "x".repeat(entryBytes) } };
  expect(await issuesOf(apply({ devices: [device] }))).toEqual({
    "devices.0": `has more than ${entryBytes} bytes as JSON, which is the maximum of a device`,
  });
  await apply({ devices: [{ name: "r2", vars: { x: "x".repeat(entryBytes - 100) } }] });
});

test("Nornir: merge keys in hosts, numbers as names, a key twice", async () => {
  const { inventory } = await openInventory();
  const hosts =
    "h1: &t\n  hostname: 10.0.0.1\n  username: 42\n  data: {slot: 08, rev: 1e3}\n1001:\n  <<: *t\n  hostname: 10.0.0.2\n";
  await exchangeOf(inventory).take("nornir", JSON.stringify({ hosts }));
  expect((await inventory.snapshot()).device("1001")).toMatchObject({
    host: "10.0.0.2",
    connection: { username: "42" },
    vars: { slot: 8, rev: { text: "1000.0" } },
  });
  const twice = JSON.stringify({ hosts: "h1: {}\nh2: {}\nh1: {}\n" });
  expect(await issuesOf(exchangeOf(inventory).take("nornir", twice))).toEqual({
    "hosts line 3, column 1": 'the key "h1" appears twice',
  });
});
