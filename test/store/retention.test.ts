/** What is too old goes, what is due stays, and the file stays small. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporary } from "../support/temporary.ts";
import { closeStore, facts, makePlace, newJob, openStore, storeKinds, wanted } from "./support.ts";

const day = 86_400_000;

test.each(storeKinds)(
  "ended jobs go when their time is over, with all that belongs to them, on %s",
  async (kind) => {
    const place = await makePlace(kind);
    const store = await openStore(place);
    const life = await store.nodes.acquire({ ...facts, name: "n1" });
    if (!life) throw new Error("no life");
    const webhook = { receiver: "x", content: '{"webhook":"basic","options":{}}' };
    const failure = '{"type":"failed","retval":null,"error":{"type":"Validation","message":"x"}}';
    const old = Array.from({ length: 450 }, () => newJob(store, { failure, resultTtlMs: -1 }));
    const due = newJob(store, { failure, resultTtlMs: -1, webhook });
    const kept = newJob(store, { failure });
    const queued = newJob(store, { resultTtlMs: -1 });
    await store.jobs.insert([...old, due, kept, queued]);
    const counts: number[] = [];
    for (let round = 0; round < 5; round++) counts.push(await store.retention.jobs());
    expect(counts).toEqual([200, 200, 50, 0, 0]);
    expect((await store.jobs.page({}, 10)).map((job) => job.id)).toEqual([queued.id, kept.id, due.id]);
    // Once it is delivered, it goes, too.
    const [delivery] = await store.deliveries.claim(life, [], 10);
    if (!delivery) throw new Error("no delivery");
    await store.deliveries.record(life, delivery, { at: 1, status: 200 }, "delivered");
    expect(await store.retention.jobs()).toBe(1);
    expect((await store.raw("select count(*) from deliveries")).rows[0]?.[0]).toBe(0);
    // A job that runs is never old.
    await store.claims.claim(life, wanted([queued.queue]));
    expect(await store.retention.jobs()).toBe(0);
    await store.retention.shrink();
    await closeStore(store);
    await place.remove();
  },
);

test("audit entries and idempotency keys have a time of their own", async () => {
  const folder = temporary();
  let offset = -2 * day;
  const clock = { wall: () => Date.now() + offset, monotonic: () => performance.now() + offset };
  const store = await openStore({ directory: folder.path }, { clock });
  const once = { caller: "k1", key: "key", body: "b", token: "t", answer: "{}" };
  await store.jobs.insert([newJob(store)], once);
  offset = 0;
  await store.jobs.insert([newJob(store)]);
  expect(await store.retention.audit(day)).toBe(1);
  expect(await store.audit.page({}, 10)).toHaveLength(1);
  expect(await store.idempotency.findAnswer("k1", "key")).toBeDefined();
  expect(await store.retention.idempotency()).toBe(1);
  expect(await store.idempotency.findAnswer("k1", "key")).toBeUndefined();
  await closeStore(store);
  folder.remove();
});

test("the file gives back the room of what went", async () => {
  const folder = temporary();
  const store = await openStore({ directory: folder.path });
  const failure = JSON.stringify({
    type: "failed",
    retval: { x: crypto.getRandomValues(new Uint8Array(1_000)).toString() },
  });
  for (let round = 0; round < 10; round++)
    await store.jobs.insert(Array.from({ length: 200 }, () => newJob(store, { failure, resultTtlMs: -1 })));
  const file = join(folder.path, "patchbay.db");
  await store.retention.shrink();
  const before = statSync(file).size;
  while ((await store.retention.jobs()) > 0);
  for (let round = 0; round < 10; round++) await store.retention.shrink();
  expect(statSync(file).size).toBeLessThan(before / 3);
  expect(statSync(`${file}-wal`).size).toBe(0);
  await closeStore(store);
  folder.remove();
});
