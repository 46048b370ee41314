/** Contract of `rotation`: afterwards the new master key alone decrypts everything. */
import { expect, test } from "vitest";
import { newJob } from "../support.ts";
import { detachedTask } from "./detached.ts";
import { endOf, failure, type MakeStorePlace, useStore, webhook } from "./fixture.ts";
import { inventoryEntry, inventoryWrite } from "./inventory.ts";

const [oldKey, newKey] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)];

export function rotationContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("values sealed with a former key are re-sealed once", async () => {
    const first = await fixture.reopen({ masterKey: oldKey });
    expect(first.rotation.isDue).toBe(false);
    const asked = { asked: '["a"]', request: '["a","b"]', audit: "{}" };
    const once = { caller: "k1", key: "key", body: "b", token: "t", answer: '"t"' };
    const submitter = { kind: "key", name: "ops" } as const;
    const work = { caller: "k1", driver: "netmiko", operation: "query", submitter } as const;
    const bulk = { ...work, id: "b1", note: "a note" };
    const jobs = [newJob(first, { asked, failure, webhook }), newJob(first)];
    await first.jobs.insert(jobs, { once, bulk });
    await first.detached.begin(detachedTask("d1"), { inAll: 1, perKey: 1 });
    const [devices, groups] = [[inventoryEntry("r1")], [inventoryEntry("core")]];
    await first.inventory.write(inventoryWrite(0, { devices, groups }));
    const print = first.fingerprint("text");

    const rotating = await fixture.reopen({ masterKey: newKey, formerKeys: [oldKey] });
    expect(rotating.rotation.isDue).toBe(true);
    expect(rotating.isFingerprint(print, "text")).toBe(true);
    expect(await rotating.rotation.reseal()).toBe(13);
    expect(await rotating.rotation.reseal()).toBe(0);

    const store = await fixture.reopen({ masterKey: newKey });
    expect(store.isFingerprint(print, "text")).toBe(false);
    expect(await store.jobs.find(jobs[0]?.id ?? "")).toMatchObject({
      result: failure,
      asked: asked.asked,
      request: asked.request,
    });
    expect(await store.idempotency.findAnswer("k1", "key")).toMatchObject({ answer: '"t"' });
    expect(await store.bulks.find("b1")).toMatchObject({ note: "a note" });
    expect(await store.detached.find("d1")).toMatchObject({ payload: "{}", asked: "{}" });
    for (const kind of ["device", "group"] as const)
      expect((await store.inventory.changed(kind, { revision: 0 }, 9)).entries).toMatchObject([
        { damaged: false },
      ]);
    const n1 = await fixture.node("n1");
    expect((await store.deliveries.claim(n1, [], 1))[0]?.content).toBe(webhook.content);
    const claimed = await fixture.claimOne(n1, "pinned_r1");
    expect(claimed.payload).toContain("canary");
    await store.settlements.end(endOf(claimed.fence.id), { fence: claimed.fence });
  });

  test("another master key is rejected before anything is written", async () => {
    await expect(fixture.reopen({ masterKey: newKey })).rejects.toMatchObject({
      kind: "Unavailable",
      message: expect.stringContaining("master key"),
    });
  });
}
