/** Contract of the whole store: identifiers, hashes, clocks, health, and persistence across a close. */
import { expect, test } from "vitest";
import { newJob } from "../support.ts";
import { type MakeStorePlace, operator, useStore } from "./fixture.ts";

export function storeContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("ids are unique and in order of creation", () => {
    const { store } = fixture;
    const ids = Array.from({ length: 5_000 }, () => store.makeId());
    expect(new Set(ids).size).toBe(5_000);
    expect([...ids].sort()).toEqual(ids);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("a fingerprint identifies equal texts without revealing them", () => {
    const { store } = fixture;
    const hash = store.fingerprint("password");
    expect(hash).toBe(store.fingerprint("password"));
    expect(hash).not.toContain("password");
    expect(store.isFingerprint(hash, "password")).toBe(true);
    expect(store.isFingerprint(hash, "other")).toBe(false);
  });

  test("a healthy store answers its probe, is not full, and is not a copy", async () => {
    const { store } = fixture;
    await store.probe();
    expect(store.full()).toBe(false);
    expect(store.home.copied).toBeUndefined();
    expect(store.home.id).not.toBe("");
    await store.home.advance();
    expect(await store.held.release(["unknown"], operator)).toEqual([]);
    expect(await store.held.releaseAll()).toBe(0);
  });

  test("everything begun before a close is stored, and the directory keeps its identity", async () => {
    const { store } = fixture;
    const jobs = Array.from({ length: 20 }, () => newJob(store));
    const inserted = Promise.all(jobs.map((job) => store.jobs.insert([job])));
    const steady = store.clock.steady();
    await inserted;
    const again = await fixture.reopen();
    expect(await again.jobs.page({}, 100)).toHaveLength(20);
    expect(again.home).toMatchObject({ id: store.home.id, copied: undefined });
    expect(again.clock.steady()).toBeGreaterThanOrEqual(steady - 60_000);
    await expect(store.jobs.insert([newJob(store)])).rejects.toMatchObject({ kind: "Unavailable" });
  });
}
