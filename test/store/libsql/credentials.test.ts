/** Stored credentials: sealed, bounded, bound to their name, re-sealed with a new master key. */
import { describe, expect, test } from "vitest";
import { credentialLimits } from "../../../src/api/access/credential.ts";
import { admin } from "../../support/requests.ts";
import { closeStore, makePlace, openStore, storeKinds } from "../support.ts";

const newKey = new Uint8Array(32).fill(8);
const oldKey = new Uint8Array(32).fill(7);
const lab = {
  source: "file",
  ref: "lab",
  fields: { username: "ops", password: "canary-kept-secret" },
};

describe.each(storeKinds)("stored credentials, store: %s", (kind) => {
  test("are set, listed without values, read, replaced and removed, with audit entries", async () => {
    const place = await makePlace(kind);
    const store = await openStore(place);
    const { credentials } = store;
    expect(await credentials.set(lab, admin)).toBe("added");
    expect(await credentials.open("file", "lab")).toEqual(lab.fields);
    expect(await credentials.open("other", "lab")).toBeUndefined();
    expect(await credentials.list()).toEqual([
      expect.objectContaining({
        source: "file",
        ref: "lab",
        fields: ["username", "password"],
        lastUsedAt: null,
      }),
    ]);
    expect(JSON.stringify(await credentials.list())).not.toContain("canary");
    const raw = await store.raw("select secret from credentials");
    expect(Buffer.from(raw.rows[0]?.[0] as Uint8Array).toString("latin1")).not.toContain("canary");

    expect(await credentials.set({ ...lab, fields: { password: "second" } }, admin)).toBe("changed");
    expect(await credentials.open("file", "lab")).toEqual({ password: "second" });
    await credentials.used("file:lab", {
      caller: admin,
      action: "credential.use",
      host: "r1",
      outcome: "used",
    });
    expect((await credentials.list())[0]?.lastUsedAt).toBeGreaterThan(0);
    expect(await credentials.remove("file", "lab", admin)).toBe(true);
    expect(await credentials.remove("file", "lab", admin)).toBe(false);
    expect(await credentials.open("file", "lab")).toBeUndefined();

    const trail = await store.audit.page({}, 10);
    expect(trail.map(({ action }) => action)).toEqual([
      "credential.remove",
      "credential.use",
      "credential.set",
      "credential.set",
    ]);
    expect(JSON.stringify(trail)).not.toMatch(/canary|second/);
    await closeStore(store);
    await place.remove();
  });

  test("are re-sealed by a rotation, and only the new master key decrypts them", async () => {
    const place = await makePlace(kind);
    const before = await openStore(place, { masterKey: oldKey });
    await before.credentials.set(lab, admin);
    await closeStore(before);
    const rotating = await openStore(place, { masterKey: newKey, formerKeys: [oldKey] });
    expect(await rotating.rotation.reseal()).toBeGreaterThanOrEqual(1);
    await closeStore(rotating);
    const after = await openStore(place, { masterKey: newKey });
    expect(await after.credentials.open("file", "lab")).toEqual(lab.fields);
    await closeStore(after);
    await place.remove();
  });
});

test("a new credential above the limit is rejected without an audit entry; changes are accepted", async () => {
  const place = await makePlace("file");
  const store = await openStore(place);
  await store.credentials.set(lab, admin);
  await store.raw(`with recursive n (at) as (select 1 union all select at + 1 from n where at < ${credentialLimits.most - 1})
insert into credentials (source, ref, fields, created_at, changed_at, secret) select 'x', 'r' || at, '[]', 0, 0, x'00' from n`);
  expect(await store.credentials.set({ ...lab, ref: "one-more" }, admin)).toBe("full");
  expect(await store.credentials.open("file", "one-more")).toBeUndefined();
  expect(await store.credentials.set({ ...lab, fields: { password: "p" } }, admin)).toBe("changed");
  expect((await store.audit.page({}, 10)).filter(({ detail }) => detail?.includes("one-more"))).toEqual([]);
  const bytes = credentialLimits.maxBytes;
  await store.raw(`update credentials set secret = zeroblob(${bytes}) where ref = 'r1'`);
  expect(await store.credentials.set({ ...lab, fields: { password: "q" } }, admin)).toBe("full");
  expect(await store.credentials.open("file", "lab")).toEqual({ password: "p" });
  await closeStore(store);
  await place.remove();
});
