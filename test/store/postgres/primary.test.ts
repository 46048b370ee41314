/** Of several servers, the one that was promoted last is used, and no older one ever again. */
import { expect, test } from "vitest";
import { createPrimary, type Place, type Seen } from "../../../src/store/postgres/database/primary.ts";

const places = ["a", "b"].map((host) => ({ host, port: 5432 }));
const standby = { timeline: 0 };

/** What the servers say of themselves; undefined: nothing. */
function primaryOf(said: Record<string, Partial<Seen> | undefined>) {
  let looks = 0;
  const primary = createPrimary(places, async ({ host }: Place) => {
    looks++;
    const own = said[host];
    if (own === undefined) throw new Error("down");
    return { system: "s1", timeline: 1, started: host, ...own };
  });
  return { said, primary, looks: () => looks };
}

test("the one that accepts writes is used, in whatever place", async () => {
  const { said, primary } = primaryOf({ a: standby, b: {} });
  expect(await primary.find()).toMatchObject({ host: "b" });
  said.b = undefined;
  await expect(primary.find()).rejects.toThrow("none of a:5432, b:5432 is a primary");
  said.a = { timeline: 2 };
  expect(await primary.find()).toMatchObject({ host: "a" });
  expect(primary.rivals()).toEqual([]);
});

test("a former primary that comes back is not used, and is told of", async () => {
  const { said, primary } = primaryOf({ a: {}, b: standby });
  expect(await primary.find()).toMatchObject({ host: "a" });
  expect(await primary.hasMoved()).toBe(false);
  said.b = { timeline: 2 };
  expect(await primary.hasMoved()).toBe(true);
  expect(await primary.find()).toMatchObject({ host: "b" });
  expect(await primary.hasMoved()).toBe(false);
  expect(primary.rivals()).toEqual(["a:5432"]);
  said.b = undefined;
  await expect(primary.find()).rejects.toThrow("a:5432 was the primary before b:5432: it is not used");
  said.b = { timeline: 2 };
  said.a = standby;
  await primary.hasMoved();
  expect(primary.rivals()).toEqual([]);
});

test("a service that starts while both accept writes uses the newer one, and tells of the other", async () => {
  const { primary } = primaryOf({ a: { timeline: 3 }, b: { timeline: 4 } });
  expect(await primary.find()).toMatchObject({ host: "b" });
  expect(primary.rivals()).toEqual(["a:5432"]);
});

test("two names of one server are no rivals", async () => {
  const { primary } = primaryOf({ a: { started: "one" }, b: { started: "one" } });
  expect(await primary.find()).toMatchObject({ host: "a" });
  expect(primary.rivals()).toEqual([]);
});

test("primaries of different databases are refused, at the start and later", async () => {
  const start = primaryOf({ a: {}, b: { system: "s2" } });
  await expect(start.primary.find()).rejects.toThrow(
    "a:5432 and b:5432 are primaries of different databases",
  );
  const { said, primary } = primaryOf({ a: {}, b: standby });
  await primary.find();
  said.a = undefined;
  said.b = { system: "s2", timeline: 9 };
  await expect(primary.find()).rejects.toThrow("b:5432 has another database than before");
});

test("those who wait for a primary look together", async () => {
  const { said, primary, looks } = primaryOf({ a: standby, b: standby });
  await Promise.allSettled(Array.from({ length: 50 }, () => primary.find()));
  expect(looks()).toBe(2);
  said.b = {};
  await primary.find();
  expect(looks()).toBe(4);
});
