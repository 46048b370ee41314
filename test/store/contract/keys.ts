/** Contract of `keys` and `hostKeys`: a name and a key stand once; a host key that was learnt is never replaced. */
import { expect, test } from "vitest";
import { type MakeStorePlace, operator, useStore } from "./fixture.ts";

const key = { name: "one", key: "canary-key", scope: "read", hosts: ["10.0.0.0/8"] };
const shown = { type: "ssh-ed25519", fingerprint: "SHA256:first" };

export function keysContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("a key is found by its text while it is in force", async () => {
    const { store } = fixture;
    const id = await store.keys.add(key, operator);
    expect(await store.keys.find("canary-key")).toMatchObject({
      id,
      name: "one",
      scope: "read",
      hosts: ["10.0.0.0/8"],
      expiresAt: null,
      revokedAt: null,
    });
    expect(await store.keys.find("other")).toBeUndefined();
    await store.keys.add({ ...key, name: "old", key: "old", expiresAt: Date.now() - 1_000 }, operator);
    expect(await store.keys.find("old")).toBeUndefined();
    expect(await store.keys.revoke(id ?? "", operator)).toBe(true);
    expect(await store.keys.find("canary-key")).toBeUndefined();
    expect((await store.keys.list()).map(({ name }) => name)).toEqual(["one", "old"]);
    expect(JSON.stringify(await store.keys.list())).not.toContain("canary");
  });

  test("a use is written when uses are written", async () => {
    const { store } = fixture;
    const id = (await store.keys.add(key, operator)) ?? "";
    store.keys.touch(id);
    expect((await store.keys.list())[0]?.lastUsedAt).toBeNull();
    await store.keys.writeUses();
    expect((await store.keys.list())[0]?.lastUsedAt).toBeGreaterThan(0);
  });

  test("a host key stands for its route, and goes with the host", async () => {
    const { store } = fixture;
    await store.hostKeys.learn("r1", 22, shown);
    await store.hostKeys.learn("r1", 22, { ...shown, fingerprint: "SHA256:jump" }, ["j1"]);
    expect(await store.hostKeys.known("r1", 22)).toEqual([shown]);
    expect(await store.hostKeys.known("r1", 23)).toEqual([]);
    const onRoute = (await store.hostKeys.known("r1", 22, ["j1"])).map(({ fingerprint }) => fingerprint);
    expect(onRoute).toEqual(["SHA256:jump", "SHA256:first"]);
    expect(await store.hostKeys.forget("r1", 23)).toBe(0);
    expect(await store.hostKeys.forget("r1")).toBe(2);
    expect(await store.hostKeys.known("r1", 22, ["j1"])).toEqual([]);
  });
}
