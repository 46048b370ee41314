/** Contract of `idempotency`: the same submission creates its jobs once, however it is sent. */
import { expect, test } from "vitest";
import { newJob } from "../support.ts";
import { type MakeStorePlace, useStore } from "./fixture.ts";

const submission = (token: string) => ({
  caller: "k1",
  key: "key",
  body: "b",
  token,
  answer: `"${token}"`,
});

export function idempotencyContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  test("of two submissions with one key, the first makes its jobs and the second gets its response", async () => {
    const { store } = fixture;
    const [first, second] = [newJob(store, { host: "x" }), newJob(store, { host: "x" })];
    const answers = await Promise.all([
      store.jobs.insert([first], { once: submission("t1") }),
      store.jobs.insert([second], { once: submission("t2") }),
    ]);
    expect(answers).toMatchObject([undefined, { body: "b", answer: '"t1"' }]);
    expect((await store.jobs.page({ hostKey: "x" }, 10)).map((row) => row.id)).toEqual([first.id]);
    expect(await store.audit.page({}, 10)).toHaveLength(1);
    expect(await store.jobs.insert([first], { once: submission("t1") })).toBeUndefined();
    expect(await store.jobs.page({}, 10)).toHaveLength(1);
  });

  test("a stored response belongs to its caller and survives a restart", async () => {
    await fixture.store.jobs.insert([newJob(fixture.store)], { once: submission("t1") });
    const store = await fixture.reopen();
    expect(await store.idempotency.findAnswer("k1", "key")).toMatchObject({ body: "b", answer: '"t1"' });
    expect(await store.idempotency.findAnswer("k2", "key")).toBeUndefined();
    expect(await store.idempotency.findAnswer("k1", "other")).toBeUndefined();
  });

  test("jobs selected from the inventory are stored only at its expected revision, and once", async () => {
    const { store } = fixture;
    const device = { key: "r1", hostKey: "r1", group: null, source: null, own: "{}" };
    const by = { keyId: "k1", name: "admin", from: null };
    const change = (expected: number) =>
      store.inventory.write({ expected, devices: [device], groups: [], by, audit: [] });
    const [first, second, third] = ["a", "b", "c"].map((host) => newJob(store, { host }));
    if (!first || !second || !third) throw new Error("no jobs");
    const before = await store.inventory.revision();
    expect(await store.jobs.insert([first], { revision: before })).toBeUndefined();
    await change(before);
    expect(await store.jobs.insert([second], { revision: before })).toBe("stale");
    const once = submission("t9");
    expect(await store.jobs.insert([third], { revision: before, once })).toBe("stale");
    expect(await store.idempotency.findAnswer("k1", "key")).toBeUndefined();
    expect(await store.jobs.insert([third], { revision: before + 1, once })).toBeUndefined();
    await change(before + 1);
    // Its response was lost: the retry finds it.
    expect(await store.jobs.insert([first], { revision: before })).toBeUndefined();
    expect(await store.jobs.insert([third], { revision: before + 1, once })).toBeUndefined();
    const late = submission("t10");
    expect(await store.jobs.insert([second], { revision: before + 1, once: late })).toMatchObject({
      answer: once.answer,
    });
    expect((await store.jobs.page({}, 10)).map(({ id }) => id)).toEqual([third.id, first.id]);
  });
}
