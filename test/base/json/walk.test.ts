/** Large values are walked without lists of their members: a body of 400,000 took hundreds of megabytes. */
import { expect, test } from "vitest";
import { eachMember, someMember } from "../../../src/base/json/walk.ts";
import { revealed } from "../../../src/base/secrets/mask.ts";
import { Secret } from "../../../src/base/secrets/secret.ts";
import { createMasking } from "../../../src/executor/masking.ts";
import { holdsSecret } from "../../../src/registry/secret-fields.ts";

/** A list that lets nobody list its members. */
const unlisted = (items: unknown[]) =>
  new Proxy(items, {
    ownKeys: () => {
      throw new Error("its members were listed");
    },
  });

test("members are those that an object or list has itself, until one is found", () => {
  const seen: unknown[] = [];
  const own = Object.assign(Object.create({ inherited: 1 }) as object, { a: 2, b: 3, c: 4 });
  expect(someMember(own, (member, name) => seen.push([name, member]) === 2)).toBe(true);
  expect(seen).toEqual([
    ["a", 2],
    ["b", 3],
  ]);
  const names: unknown[] = [];
  eachMember(["x", { y: 1 }], (member, name) => void names.push([name, member]));
  expect(names).toEqual([
    [undefined, "x"],
    [undefined, { y: 1 }],
  ]);
  expect(someMember({}, () => true)).toBe(false);
});

test("secrets are found in a list without listing its members", () => {
  const value = { devices: unlisted([{ a: "b" }, { password: new Secret("hunter-2-canary") }]) };
  expect(revealed(value)).toEqual(["hunter-2-canary"]);
  expect(holdsSecret(value)).toBe(true);
  const mask = createMasking().task();
  mask.add(value);
  expect(mask.text("it was hunter-2-canary")).not.toContain("hunter-2-canary");
});
