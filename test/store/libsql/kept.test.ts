/** Reads for a retry: requests, and only the requested part of results. */
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { temporary } from "../../support/temporary.ts";
import { closeStore, newJob, openStore } from "../support.ts";

test("reading requests for a retry does not read their results", async () => {
  const folder = temporary();
  let bytes = 0;
  const store = await openStore(
    { directory: folder.path },
    {
      wrap: (link) => ({
        ...link,
        async read(statement) {
          const found = await link.read(statement);
          for (const cell of found.rows.flat()) if (cell instanceof Uint8Array) bytes += cell.length;
          return found;
        },
      }),
    },
  );
  const output = randomBytes(200_000).toString("hex");
  const failure = JSON.stringify({
    type: "failed",
    retval: { show: output },
    error: { type: "X", outcome: "unknown" },
  });
  const query = newJob(store, { failure, operation: "query", retryRequest: "{}" });
  const push = newJob(store, { failure, operation: "config", retryRequest: "{}" });
  await store.jobs.insert([query, push]);
  bytes = 0;
  expect(await store.kept.jobs({ ids: [query.id] }, 10)).toMatchObject([
    { id: query.id, retryRequest: "{}", error: null },
  ]);
  expect(bytes).toBeLessThan(10_000);
  const [found] = await store.kept.jobs({ ids: [push.id] }, 10);
  expect(JSON.parse(found?.error ?? "")).toEqual({ type: "X", outcome: "unknown" });
  expect(JSON.stringify(found)).not.toContain(output.slice(0, 100));
  await closeStore(store);
  folder.remove();
});
