/** Everything that callers could grow has a bound, and is refused as a whole beyond it. */
import { expect, test } from "vitest";
import { issuesOf, openInventory } from "./support.ts";

const named = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ name: `d${from + at}` }));

test("too many devices or groups are rejected; a full inventory can still be changed and emptied", async () => {
  const { apply, inventory } = await openInventory("file", { devices: 5, groups: 2 });
  await apply({ devices: named(5), groups: [{ name: "a" }, { name: "b" }] });
  const refused = { kind: "PayloadTooLarge", message: expect.stringContaining("Nothing was changed") };
  await expect(apply({ devices: named(1, 5) })).rejects.toMatchObject(refused);
  await expect(apply({ devices: named(6) })).rejects.toMatchObject(refused);
  await expect(apply({ groups: [{ name: "c" }] })).rejects.toMatchObject(refused);
  expect(await apply({ devices: [{ name: "d0", site: "x" }] })).toMatchObject({ changed: 1 });
  expect(await apply({ devices: named(5, 3) }, { mode: "mirror" })).toMatchObject({ added: 3, removed: 3 });
  expect((await inventory.snapshot()).size).toBe(5);
});

test("an oversized entry is reported by its position, and the total size is limited", async () => {
  const { apply } = await openInventory("file", { entryBytes: 200, totalBytes: 400 });
  const large = (name: string, chars: number) => ({ name, vars: { text: "x".repeat(chars) } });
  expect(await issuesOf(apply({ devices: [{ name: "a" }, large("b", 200)] }))).toEqual({
    "devices.1": "has more than 200 bytes as JSON, which is the maximum of a device",
  });
  await apply({ devices: [large("a", 120), large("b", 120)] });
  await expect(apply({ devices: [large("c", 120)] })).rejects.toMatchObject({ kind: "PayloadTooLarge" });
  expect(await apply({ devices: [{ name: "a", vars: null }, large("c", 100)] })).toMatchObject({ added: 1 });
});

test("nesting depth and the number of reported issues are limited", async () => {
  const { apply } = await openInventory();
  let deep: object = {};
  for (let depth = 0; depth < 40; depth++) deep = { a: deep };
  const issues = await issuesOf(
    apply({ devices: [{ name: "a", vars: deep, connection: deep, credential: deep }] }),
  );
  expect(Object.values(issues).every((message) => message.includes("16 deep"))).toBe(true);
  expect(Object.keys(issues)).toHaveLength(3);
  const many = await issuesOf(apply({ devices: Array.from({ length: 300 }, () => 7) }));
  expect(Object.keys(many)).toHaveLength(101);
  expect(many[""]).toBe("and 200 more");
});

test("a long diff is truncated and marked as such", async () => {
  const { apply } = await openInventory();
  const many = await apply({ devices: named(1_200) }, { dryRun: true });
  expect(many).toMatchObject({ added: 1_200, diff_truncated: true });
  expect(many.diff).toHaveLength(1_000);
  const large = named(60).map((device) => ({ ...device, vars: { text: "x".repeat(30_000) } }));
  const answer = await apply({ devices: large }, { dryRun: true });
  expect(answer).toMatchObject({ added: 60, diff_truncated: true });
  expect(JSON.stringify(answer).length).toBeLessThan(1_200_000);
});

test("the number of concurrent changes is limited", async () => {
  const { inventory, apply } = await openInventory();
  const all = await Promise.allSettled(named(40).map((device) => apply({ devices: [device] })));
  const refused = all.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(8);
  for (const result of refused) expect(result).toMatchObject({ reason: { kind: "TooManyRequests" } });
  expect((await inventory.snapshot()).size).toBe(32);
});
