/** What a person, and a key of a person, may do now: the first role that fits, and never more than that. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mayRunRecipe } from "../../src/api/access/recipe-right.ts";
import { createHolders, fittingRoles, roleOf } from "../../src/auth/holders.ts";
import type { KnownKey, KnownPerson, KnownRole, Limits } from "../../src/auth/port.ts";
import { commonLimits, exceededLimit } from "../../src/auth/rights.ts";

const person: KnownPerson = {
  ...{ id: "p1", name: "anna", issuer: "https://id", subject: "s-1", groups: ["net", "all"] },
  ...{ blockedAt: null, forgottenAt: null },
};
const role = (name: string, more: Partial<KnownRole>): KnownRole => ({
  ...{
    name,
    issuer: null,
    groups: [],
    subjects: [],
    scope: "read",
    hosts: [],
    credentials: null,
    rights: [],
    recipes: null,
  },
  ...more,
});
const key: KnownKey = {
  ...{
    id: "k1",
    name: "p1/laptop",
    scope: "operate",
    hosts: [],
    credentials: null,
    recipes: null,
    rights: null,
  },
  ...{ expiresAt: null, revokedAt: null, personId: "p1" },
};

function holdersWith(roles: KnownRole[], known: Partial<KnownPerson> = {}, keyOf: Partial<KnownKey> = {}) {
  return createHolders({
    keys: { byId: async (id) => (id === "k1" ? { ...key, ...keyOf } : undefined) },
    persons: { byId: async (id) => (id === "p1" ? { ...person, ...known } : undefined) },
    roles: { list: async () => roles },
    clock: { wall: () => 1_000, steady: () => 0 },
  });
}

test("the first role that names the person or a group counts, and nothing is added from others", async () => {
  const roles = [
    role("elsewhere", { issuer: "https://other", groups: ["net"], scope: "admin" }),
    role("none", { groups: ["other"], subjects: ["s-2"], scope: "admin" }),
    role("own", { subjects: ["s-1"], scope: "read", hosts: ["r1"] }),
    role("net", { groups: ["net"], scope: "admin" }),
  ];
  expect(roleOf(roles, person)?.name).toBe("own");
  expect(fittingRoles(roles, person)).toMatchObject([{ role: { name: "own" } }, { group: "net" }]);
  expect(await holdersWith(roles).byId("p1")).toMatchObject({
    ...{ id: "p1", name: "anna", role: "own", scope: "read", hosts: ["r1"], state: "in_force" },
  });
});

test.each<[string, KnownRole[], Partial<KnownPerson>]>([
  ["no role", [], {}],
  ["no group", [role("net", { groups: ["net"] })], { groups: [] }],
  ["a block", [role("net", { groups: ["net"] })], { blockedAt: 1 }],
  ["a pseudonym", [role("net", { groups: ["net"] })], { forgottenAt: 1 }],
])("with %s a person may do nothing, and neither may their keys", async (_what, roles, known) => {
  const holders = holdersWith(roles, known);
  for (const id of ["p1", "k1"]) {
    expect(await holders.byId(id)).toMatchObject({
      ...{ state: "revoked", scope: "read", credentials: [], rights: [] },
    });
  }
});

test("a key of a person has what both have, by the role of today", async () => {
  const roles = [role("net", { groups: ["net"], scope: "read", hosts: ["a*", "b*"], rights: ["history"] })];
  const limited = { hosts: ["b*", "c*"], rights: ["history_secrets"] };
  expect(await holdersWith(roles, {}, limited).byId("k1")).toMatchObject({
    ...{ name: "anna/laptop", person: { id: "p1", name: "anna" }, state: "in_force" },
    ...{ scope: "read", hosts: ["b*"], rights: ["history"] },
  });
  // What is left would be no host at all, which must not become all hosts.
  expect(await holdersWith(roles, {}, { hosts: ["c*"] }).byId("k1")).toMatchObject({ state: "revoked" });
  expect(await holdersWith(roles, {}, { expiresAt: 10 }).byId("k1")).toMatchObject({ state: "expired" });
});

const patterns = fc.uniqueArray(fc.constantFrom("a*", "b*", "r1", "select:site:x"), { maxLength: 3 });
const credentials = fc.option(
  fc.uniqueArray(fc.constantFrom("file:*", "file:core", "vault:*", "!file:root", "*"), { maxLength: 3 }),
);
const limits: fc.Arbitrary<Limits> = fc.record({
  scope: fc.constantFrom("read", "agent", "operate", "admin"),
  hosts: patterns,
  credentials,
  rights: fc.option(fc.uniqueArray(fc.constantFrom("history", "history_secrets"))),
  recipes: fc.option(fc.uniqueArray(fc.constantFrom("vlan", "vlan-*", "v?an", "*", "ntp"), { maxLength: 3 })),
});
const names = ["vlan", "VLAN", "vlan-1", "van", "ntp", "other", "", "*"];

test("whatever a person and their key have, the key never has more than the person", () => {
  fc.assert(
    fc.property(limits, limits, (held, wanted) => {
      const common = commonLimits(held, wanted);
      if (common === undefined) return;
      expect(exceededLimit(held, common)).toBeUndefined();
      if (wanted.hosts.length > 0)
        expect(common.hosts.every((host) => wanted.hosts.includes(host))).toBe(true);
      for (const name of names)
        if (mayRunRecipe(common, name))
          expect([name, mayRunRecipe(held, name), mayRunRecipe(wanted, name)]).toEqual([name, true, true]);
    }),
  );
});

test("who is given no more than another one may run no other recipe", () => {
  fc.assert(
    fc.property(limits, limits, (held, wanted) => {
      if (exceededLimit(held, wanted) !== undefined) return;
      for (const name of names)
        if (mayRunRecipe(wanted, name)) expect([name, mayRunRecipe(held, name)]).toEqual([name, true]);
    }),
  );
});
