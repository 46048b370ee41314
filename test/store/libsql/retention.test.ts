/** Audit entries and keys expire, and the file shrinks accordingly. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { patiently } from "../../support/patiently.ts";
import { temporary } from "../../support/temporary.ts";
import { closeStore, newJob, openStore } from "../support.ts";

const day = 86_400_000;

test("audit entries and idempotency keys expire by their own times", async () => {
  const folder = temporary();
  let offset = -2 * day;
  const clock = { wall: () => Date.now() + offset, monotonic: () => performance.now() + offset };
  const store = await openStore({ directory: folder.path }, { clock });
  const once = { caller: "k1", key: "key", body: "b", token: "t", answer: "{}" };
  await store.jobs.insert([newJob(store)], { once });
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

test("the file shrinks when expired rows are deleted", async () => {
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

test("each retention transaction deletes at most one batch", async () => {
  const folder = temporary();
  const removedCounts: number[] = [];
  const store = await openStore(
    { directory: folder.path },
    {
      wrap: (link) => ({
        ...link,
        async batch(statements) {
          const results = await link.batch(statements);
          const removed = statements.map(({ sql }, at) =>
            /^delete/.test(sql) ? (results[at]?.changes ?? 0) : 0,
          );
          removedCounts.push(Math.max(0, ...removed));
          return results;
        },
      }),
    },
  );
  const failure = JSON.stringify({ type: "failed", retval: null, error: null });
  await store.jobs.insert(Array.from({ length: 450 }, () => newJob(store, { failure, resultTtlMs: -1 })));
  removedCounts.length = 0;
  const { batch } = store.retention;
  const jobs = [await store.retention.jobs(), await store.retention.jobs(), await store.retention.jobs()];
  expect(jobs).toEqual([batch, batch, 450 - 2 * batch]);
  const entries = [await store.retention.audit(-1_000), await store.retention.audit(-1_000)];
  expect(entries).toEqual([batch, batch]);
  expect(Math.max(...removedCounts)).toBe(batch);
  await closeStore(store);
  folder.remove();
});

test("scanning jobs that wait for their webhooks does not block the event loop", async () => {
  const folder = temporary();
  const store = await openStore({ directory: folder.path });
  const failure = JSON.stringify({ type: "failed", retval: null, error: null });
  const webhook = { receiver: "away", content: "{}", events: undefined };
  const waiting = Array.from({ length: 1_050 }, () => newJob(store, { failure, resultTtlMs: -1, webhook }));
  await patiently(() => store.jobs.insert(waiting), true);
  await store.jobs.insert([newJob(store, { failure, resultTtlMs: -1 })]);
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  expect(await store.retention.jobs()).toBe(1);
  expect(turned).toBe(true);
  turned = false;
  setImmediate(() => {
    turned = true;
  });
  // Nothing is deleted, only read.
  expect(await store.retention.jobs()).toBe(0);
  expect(turned).toBe(true);
  await closeStore(store);
  folder.remove();
});
