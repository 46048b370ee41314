/** An export round-trips; an import is atomic; a limited key exports only what it can reach. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createExchange } from "../../src/inventory/exchange/exchange.ts";
import { exchangeOf } from "./exchange-support.ts";
import { formatList, writeFormat } from "./formats.ts";
import { admin, issuesOf, openInventory } from "./support.ts";

const wild = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    "=1+1",
    "'=x",
    "''-y",
    " blank ",
    "007",
    "1e3",
    "true",
    "null",
    '"q"',
    "a;b",
    "[x",
    "{",
    "- a",
    "#c",
    "é,\r\n",
    "yes",
    "~",
    "0x1f",
    "1:2",
  ),
);
const json = fc.oneof(
  wild,
  fc.integer(),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
  fc.array(wild, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "b c", "x"), wild, { maxKeys: 2 }),
  fc.constant(null),
);
const plain = wild.filter((text) => /^[^\0-\x1f\x7f]+$/.test(text));
const members = fc.dictionary(fc.oneof(fc.constantFrom("vlan", "ntp", "a.b", "x,y"), plain), json, {
  minKeys: 1,
  maxKeys: 3,
});
const common = {
  port: fc.integer({ min: 1, max: 65_535 }),
  platform: plain,
  site: plain,
  role: plain,
  tags: fc.array(plain, { maxLength: 3 }),
  vars: members,
  connection: fc.record({ username: wild, keepalive: fc.nat() }),
  credential: fc.constantFrom(
    { name: "env", ref: "core" },
    { name: "vault_kv", path: "net/core", field: "x" },
    { name: "env", ref: "a=b,c" },
  ),
};
const device = fc.record(
  {
    ...common,
    host: fc.constantFrom("192.0.2.1", "2001:db8::1", "r.example"),
    enabled: fc.boolean(),
    group: fc.constantFrom("core", "edge"),
  },
  { requiredKeys: [] },
);
const group = fc.record(
  {
    ...common,
    description: plain,
    window: fc.array(fc.constantFrom("Mon-Fri 22:00-05:00 Europe/Berlin", "Sat 00:00-24:00 UTC"), {
      maxLength: 2,
    }),
    change: fc.record(
      {
        required: fc.boolean(),
        approvals: fc.nat({ max: 20 }),
        ticket: fc.constantFrom("^CHG-\\d+$", "a;b,c"),
        max_wave: fc.constantFrom<number | string>(3, "25%"),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

test.each(["csv", "yaml", "json"] as const)("importing an export changes nothing: %s", async (format) => {
  const { apply, inventory } = await openInventory();
  const { take, give } = exchangeOf(inventory);
  const sample = (count: number) => ({
    groups: [{ name: "core" }, { name: "edge", parent: "core" }],
    devices: fc
      .sample(device, { numRuns: count, seed: 17 })
      .map((fields, at) => ({ ...fields, name: `r${at}` })),
  });
  const document = sample(120);
  for (const [at, fields] of fc.sample(group, { numRuns: 2, seed: 5 }).entries())
    Object.assign(document.groups[at] ?? {}, fields);
  await apply(document);
  const text = await give(format);
  expect((await take(format, text, { mode: "replace" })).answer).toMatchObject({
    added: 0,
    changed: 0,
    removed: 0,
    unchanged: 122,
  });
  expect((await take(format, text, { mode: "mirror" })).answer).toMatchObject({ changed: 0, removed: 0 });
  const { inventory: other } = await openInventory();
  const elsewhere = exchangeOf(other);
  await elsewhere.take(format, text);
  expect(await elsewhere.give(format)).toBe(text);
});

test("one invalid line rejects the whole import", async () => {
  const { inventory } = await openInventory();
  const { take } = exchangeOf(inventory);
  const broken = take("csv", "name,port,site\nr1,22,\nr2,99999,\nr3,,x\n");
  expect(Object.keys(await issuesOf(broken))).toEqual(["line 3.port"]);
  const lost = take("csv", "name,group\nr1,\nr2,nowhere\n");
  expect(Object.keys(await issuesOf(lost))).toEqual(["line 3.group"]);
  expect((await inventory.snapshot()).size).toBe(0);
  const secret = take("json", '{"devices": [\n{"name": "r1", "connection": {"password": "geheim"}}]}');
  const issues = await issuesOf(secret);
  expect(Object.keys(issues)).toEqual(["line 2.connection.password"]);
  expect(JSON.stringify(issues)).not.toContain("geheim");
  expect((await inventory.snapshot()).revision).toBe(0);
});

test("an import honours dry run and limits, and reports omitted fields", async () => {
  const { inventory } = await openInventory();
  const { take } = exchangeOf(inventory);
  const text = "r1:ios:bob:geheim\nr2:junos\n";
  const dry = await take("oxidized", text, { dryRun: true });
  expect(dry).toMatchObject({
    answer: { dry_run: true, added: 2 },
    warnings: [expect.stringContaining("password was omitted")],
  });
  await issuesOf(take("oxidized", text, { maxChanges: 1 }));
  expect((await inventory.snapshot()).size).toBe(0);
  expect((await take("oxidized", text)).answer).toMatchObject({ added: 2 });
});

test("a limited key exports only devices that it reaches, and cannot import", async () => {
  const { apply, inventory } = await openInventory();
  const { take, give } = exchangeOf(inventory);
  await apply({
    groups: [{ name: "top" }, { name: "in", parent: "top" }, { name: "out", vars: { hidden: 1 } }],
    devices: [
      { name: "r1", host: "192.0.2.1", group: "in" },
      { name: "r2", host: "198.51.100.2", group: "out" },
    ],
  });
  const caller = { ...admin, hosts: ["192.0.2.0/24"] };
  for (const format of ["csv", "yaml", "json", "nornir", "ansible", "oxidized"] as const) {
    const text = await give(format, { caller, delimiter: ";" });
    expect(text).toContain("r1");
    expect(text).not.toMatch(/r2|out|hidden|198\.51/);
    expect(await give(format, { delimiter: ";", group: "OUT" })).not.toContain("r1");
  }
  expect(await give("json", { caller })).toContain('"name":"top"');
  const exchange = createExchange({
    inventory,
    read: () => Promise.reject(new Error("it was read")),
    write: writeFormat,
    formats: () => formatList,
  });
  await expect(
    exchange.importText("csv", "name\nr9", {}, caller, new AbortController().signal),
  ).rejects.toMatchObject({
    kind: "Forbidden",
  });
  await expect(take("csv", "name\nr9")).resolves.toBeDefined();
});

test("an export in the format of another tool can be imported again", async () => {
  const { apply, inventory } = await openInventory();
  const { give } = exchangeOf(inventory);
  await apply({
    groups: [
      { name: "top", platform: "cisco_ios", driver: "netmiko" },
      { name: "core", parent: "top", vars: { ntp: "192.0.2.9" }, tags: ["x"] },
    ],
    devices: [
      {
        name: "r1",
        host: "192.0.2.1",
        group: "core",
        port: 2222,
        tags: ["lab"],
        connection: { username: "bob" },
        vars: { a: [1, "yes"] },
      },
      { name: "r2", site: "berlin" },
    ],
  });
  for (const format of ["nornir", "ansible"] as const) {
    const { inventory: other } = await openInventory();
    await exchangeOf(other).take(format, await give(format));
    const back = await other.snapshot();
    const original = await inventory.snapshot();
    for (const name of ["r1", "r2"]) {
      const { driver, ...expected } = original.device(name) ?? { driver: null };
      expect(back.device(name)).toMatchObject(format === "ansible" ? { ...expected, driver } : expected);
    }
  }
  expect(await give("oxidized", { delimiter: ";", map: "name,ip,model,group" })).toBe(
    "r1;192.0.2.1;ios;core\nr2;r2;;\n",
  );
  await apply({ devices: [{ name: "r3", host: "2001:db8::1" }] });
  expect(Object.keys(await issuesOf(give("oxidized")))).toEqual(["delimiter"]);
});
