/** Comparing the rights of keys: whatever a key may give, it may do itself. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mayUseCredential } from "../../src/auth/credentials.ts";
import { lackingRight, type Rights, requireRightsOf } from "../../src/auth/rights.ts";

const all: Rights = { scope: "admin", hosts: [], credentials: null };

test.each<[string, Rights, Rights, string | undefined]>([
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
  expect(lackingRight(held, wanted)).toBe(lacking);
});

test("the refusal names the right, and what the key may give", () => {
  const held = { ...all, credentials: ["file:lab"] };
  expect(() => requireRightsOf(held, all, "This key may not make that key")).toThrow(
    "This key may not make that key: credentials would give credentials that this key may not use (it may use file:lab; set credentials to those, or fewer).",
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
      fc.pre(lackingRight({ ...all, credentials: held }, { ...all, credentials: wanted }) === undefined);
      const credential = { name: ref, kept: true };
      const mayGiven = mayUseCredential({ hosts: [], credentials: wanted }, credential);
      expect(mayGiven && !mayUseCredential({ hosts: [], credentials: held }, credential)).toBe(false);
    }),
    { numRuns: 3_000 },
  );
});
