/** Comparing the rights of keys: whatever a key may give, it may do itself. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mayUseCredential } from "../../src/auth/credentials.ts";
import { includesScope, type Right, rights, type Scope, scopes } from "../../src/auth/port.ts";
import {
  exceededLimit,
  hasRight,
  type KeyLimits,
  requireRight,
  requireRightsOf,
  rightsOf,
} from "../../src/auth/rights.ts";
import { runs } from "../support/runs.ts";

const all: KeyLimits = { scope: "admin", hosts: [], credentials: null };

test.each<[string, KeyLimits, KeyLimits, string | undefined]>([
  ["everything", all, { scope: "admin", hosts: [] }, undefined],
  ["a higher scope", { ...all, scope: "operate" }, { ...all, scope: "admin" }, "scope"],
  ["more hosts", { ...all, hosts: ["r1"] }, all, "hosts"],
  ["other hosts", { ...all, hosts: ["r1"] }, { ...all, hosts: ["r2"] }, "hosts"],
  ["the same hosts", { ...all, hosts: ["r1", "r2"] }, { ...all, hosts: ["r2"] }, undefined],
  ["no list of credentials", { ...all, credentials: [] }, all, "credentials"],
  ["none of none", { ...all, credentials: [] }, { ...all, credentials: [] }, undefined],
  ["one of a pattern", { ...all, credentials: ["file:*"] }, { ...all, credentials: ["file:a"] }, undefined],
  [
    "a wider pattern",
    { ...all, credentials: ["file:a*"] },
    { ...all, credentials: ["file:*"] },
    "credentials",
  ],
  [
    "a star for a letter",
    { ...all, credentials: ["file:?"] },
    { ...all, credentials: ["file:*"] },
    "credentials",
  ],
  [
    "without the exception",
    { ...all, credentials: ["file:*", "!file:root"] },
    { ...all, credentials: ["file:*"] },
    "credentials",
  ],
  [
    "the exception",
    { ...all, credentials: ["*", "!file:root"] },
    { ...all, credentials: ["file:root"] },
    "credentials",
  ],
  [
    "with the exception",
    { ...all, credentials: ["*", "!file:root"] },
    { ...all, credentials: ["file:*", "!file:root"] },
    undefined,
  ],
  ["a longer life", { ...all, expiresAt: 5 }, { ...all, expiresAt: 6 }, "expires_days"],
  ["no end", { ...all, expiresAt: 5 }, all, "expires_days"],
  ["an end", all, { ...all, expiresAt: 6 }, undefined],
])("a key that gives %s", (_what, held, wanted, lacking) => {
  expect(exceededLimit(held, wanted)).toBe(lacking);
});

const both: readonly Right[] = ["history", "history_secrets"];
/** What a key has that was given nothing, `history`, `history_secrets`. */
const held: Readonly<Record<Scope, readonly (readonly Right[])[]>> = {
  read: [[], ["history"], both],
  agent: [[], ["history"], ["history"]],
  operate: [[], ["history"], both],
  admin: [["history"], ["history"], both],
};
const given: readonly (Right[] | null)[] = [null, ["history"], ["history_secrets"]];
const everyKey = scopes.flatMap((scope) =>
  given.map((list, at) => ({ ...all, scope, rights: list, has: held[scope][at] ?? [] })),
);

test.each(everyKey)("a key of scope $scope that was given $rights has $has", (key) => {
  expect(rightsOf(key)).toEqual(key.has);
  expect(rightsOf({ scope: key.scope, rights: key.rights ?? [] })).toEqual(key.has);
  for (const right of rights) {
    expect(hasRight(key, right)).toBe(key.has.includes(right));
    const required = () => requireRight(key, right);
    if (key.has.includes(right)) required();
    else expect(required).toThrow(`This API key does not have the right "${right}". An admin`);
  }
});

test("a key gives the rights that it has and no other", () => {
  for (const giver of everyKey)
    for (const taker of everyKey) {
      const scope = !includesScope(giver.scope, taker.scope);
      const more = taker.has.some((right) => !giver.has.includes(right));
      expect([giver, taker, exceededLimit(giver, taker)]).toEqual([
        giver,
        taker,
        scope ? "scope" : more ? "rights" : undefined,
      ]);
    }
});

test("a right of a newer version is given only by a key that has it, and opens nothing here", () => {
  const newer = { ...all, rights: ["right_of_a_newer_version"] };
  expect(exceededLimit(all, newer)).toBe("rights");
  expect(exceededLimit(newer, newer)).toBeUndefined();
  expect(rightsOf(newer)).toEqual(["history"]);
});

test("the refusal names the rights that are missing", () => {
  const wanted = { ...all, rights: ["history_secrets"] };
  expect(() => requireRightsOf(all, wanted, "make that key")).toThrow(
    "This API key may not make that key: rights would give rights that it does not have (history_secrets).",
  );
});

test("the refusal names the limit, and what the key may give", () => {
  const held = { ...all, credentials: ["file:lab"] };
  expect(() => requireRightsOf(held, all, "make that key")).toThrow(
    "This API key may not make that key: credentials would give credentials that it may not use (it may use file:lab; set credentials to those, or fewer).",
  );
});

test("no list of credentials that passes opens a credential that the giver may not use", () => {
  const name = fc.stringMatching(/^[ab]{1,3}$/);
  const pattern = fc
    .tuple(fc.constantFrom("", "", "!"), fc.stringMatching(/^[ab*?]{1,3}$/))
    .map(([no, text]) => no + text);
  const list = fc.array(pattern, { maxLength: 3 });
  fc.assert(
    fc.property(list, list, name, (held, wanted, ref) => {
      fc.pre(exceededLimit({ ...all, credentials: held }, { ...all, credentials: wanted }) === undefined);
      const credential = { name: ref, kept: true };
      const mayGiven = mayUseCredential({ hosts: [], credentials: wanted }, credential);
      expect(mayGiven && !mayUseCredential({ hosts: [], credentials: held }, credential)).toBe(false);
    }),
    { numRuns: runs(3_000) },
  );
});
