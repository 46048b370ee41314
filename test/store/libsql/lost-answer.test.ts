/** A lost response: an applied transaction is not applied again. */
import { expect, test } from "vitest";
import { claimRequest, closeStore, facts, makePlace, newJob, openStore, storeKinds } from "../support.ts";

test.each(storeKinds)(
  "a claim whose response was lost claims nothing more when repeated, store: %s",
  async (kind) => {
    const place = await makePlace(kind);
    let lose = true;
    const store = await openStore(place, {
      wrap: (connection) => ({
        ...connection,
        async batch(statements) {
          const rows = await connection.batch(statements);
          const isClaim = statements.some(({ sql }) => sql.startsWith("update jobs set status = 'running'"));
          if (!isClaim || !lose) return rows;
          lose = false;
          throw new DOMException("The operation timed out.", "TimeoutError");
        },
      }),
    });
    const n1 = await store.nodes.acquire({ ...facts, name: "n1" });
    if (!n1) throw new Error("no lease");
    const fifo = Array.from({ length: 5 }, () => newJob(store, { strategy: "fifo" }));
    await store.jobs.insert([...fifo, newJob(store), newJob(store)]);
    const request = claimRequest(["pinned_r1"], [{ lane: "fifo/k1/", count: 2 }]);
    expect((await store.claims.claim(n1, request)).jobs).toHaveLength(3);
    expect(lose).toBe(false);
    expect(await store.jobs.page({ status: "running" }, 10)).toHaveLength(3);
    await closeStore(store);
    await place.remove();
  },
);
