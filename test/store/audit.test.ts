/** Keys that are made or revoked, and host keys that are taken on first use, stand in the audit trail: once, with the change. */
import { expect, test } from "vitest";
import { closeStore, makePlace, openStore, storeKinds } from "./support.ts";

const operator = { keyId: "command line", name: "ada", from: null };

test.each(storeKinds)("on %s", async (kind) => {
  const place = await makePlace(kind);
  const store = await openStore(place);
  const key = { name: "one", key: "canary-key", scope: "read", hosts: ["10.0.0.0/8"] };
  const id = await store.keys.add(key, operator);
  expect(id).toBeDefined();
  expect(await store.keys.add(key, operator)).toBeUndefined();
  expect(await store.keys.add({ ...key, name: "two" }, operator)).toBeUndefined();
  expect(await store.keys.revoke("one", operator)).toBe(true);
  expect(await store.keys.revoke("one", operator)).toBe(false);
  expect(await store.keys.revoke("nobody", operator)).toBe(false);
  const shown = { type: "ssh-ed25519", fingerprint: "SHA256:first" };
  await Promise.all([1, 2, 3].map(() => store.hostKeys.learn("r1", 22, shown)));
  await store.hostKeys.learn("r1", 22, { ...shown, fingerprint: "SHA256:other" });
  expect(await store.hostKeys.known("r1", 22)).toEqual([shown]);

  const entries = (await store.audit.page({}, 100)).reverse();
  expect(
    entries.map(({ who, action, host, outcome, detail }) => [who, action, host, outcome, detail]),
  ).toEqual([
    ["ada (command line)", "key.add", null, "added", "one: scope read, hosts 10.0.0.0/8, expires never"],
    ["ada (command line)", "key.revoke", null, "revoked", "one"],
    ["patchbay (first use)", "hostkey.learn", "r1", "accepted", "port 22, ssh-ed25519 SHA256:first"],
  ]);
  expect(JSON.stringify(entries)).not.toContain("canary");
  await closeStore(store);
  await place.remove();
});
