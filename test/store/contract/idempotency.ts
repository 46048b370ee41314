/** Contract of `idempotency`: the same submission, however it is sent, makes its jobs once. */
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

  test("of two submissions with one key the first makes its jobs, the second gets its answer", async () => {
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

  test("an answer belongs to its caller, and outlives a restart", async () => {
    await fixture.store.jobs.insert([newJob(fixture.store)], { once: submission("t1") });
    const store = await fixture.reopen();
    expect(await store.idempotency.findAnswer("k1", "key")).toMatchObject({ body: "b", answer: '"t1"' });
    expect(await store.idempotency.findAnswer("k2", "key")).toBeUndefined();
    expect(await store.idempotency.findAnswer("k1", "other")).toBeUndefined();
  });
}
