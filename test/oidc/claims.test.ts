/** Groups and names in the claims of a provider. */
import { expect, test } from "vitest";
import { type Claims, emailOf, groupsOf, nameOf, subjectOf } from "../../src/oidc/claims.ts";

const who = 'The provider "corp"';
const groups = (claims: Claims, name = "groups") => groupsOf(claims, name, who);

test.each<[string, Claims, RegExp]>([
  [
    "10,000",
    { groups: Array.from({ length: 10_000 }, (_, n) => `g${n}`) },
    /10000 groups .* 2000 are the most/,
  ],
  ["one of 300 characters", { groups: ["x".repeat(300)] }, /more than 256 characters/],
  ["numbers", { groups: [1] }, /not a list of texts/],
  ["an object", { groups: { a: true } }, /not a list of texts/],
  ["elsewhere, as they are too many", { _claim_names: { groups: "src1" } }, /too many groups/],
])("groups are refused if they are %s", (_, claims, why) => {
  expect(() => groups(claims)).toThrow(why);
});

test("2,000 groups are kept", () => {
  const all = Array.from({ length: 2_000 }, (_, n) => `group-${n}`);
  expect(groups({ groups: all })).toEqual(all);
});

test("a claim is found by its whole name before its steps", () => {
  expect(groups({ "a.b": ["whole"], a: { b: ["deep"] } }, "a.b")).toEqual(["whole"]);
  expect(groups({ a: { b: ["deep"] } }, "a.b")).toEqual(["deep"]);
  for (const claims of [{ a: ["x"] }, { a: null }, { a: "b" }, {}]) expect(groups(claims, "a.b")).toEqual([]);
  expect(groups({}, "constructor.name")).toEqual([]);
  expect(groups({}, "__proto__")).toEqual([]);
});

test("a name is shown without characters that change the text around it", () => {
  const name = (claims: Claims) => nameOf(claims, "preferred_username", "person-1");
  expect(name({ preferred_username: "\u202eanna\u0000" })).toBe("_anna_");
  expect(name({ preferred_username: " ", email: "anna@example.net" })).toBe("anna@example.net");
  expect(name({ preferred_username: 5 })).toBe("person-1");
  expect(name({ name: "x".repeat(1_000_000) })).toHaveLength(64);
});

test("an e-mail address is one, or nothing", () => {
  expect(emailOf({ email: "anna@example.net" })).toBe("anna@example.net");
  for (const email of ["anna", "a\n@b", "a@b c", `${"x".repeat(300)}@b`, 5, null])
    expect(emailOf({ email })).toBeUndefined();
});

test.each(["x".repeat(256), "a\nb", "é", ""])("the subject %j is refused", (subject) => {
  expect(() => subjectOf(subject, who)).toThrow(/subject that is not valid/);
});
