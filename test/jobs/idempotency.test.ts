/** A submission with an Idempotency-Key is done once. */
import { expect, test } from "vitest";
import { admin, bodyOf, query } from "../support/requests.ts";
import { base, useNode } from "./support.ts";

const node = useNode();

test("an Idempotency-Key sent twice makes one job; with another body it is rejected", async () => {
  const body = bodyOf(query("r1", "show once"));
  const tickets = await Promise.all(
    Array.from({ length: 50 }, () => node().jobs.submit(body, admin, "key-1")),
  );
  expect(new Set(tickets.map((answer) => answer.id)).size).toBe(1);
  await expect(node().jobs.submit(bodyOf(query("r1", "show other")), admin, "key-1")).rejects.toMatchObject({
    kind: "Conflict",
  });
  await node().ended(tickets[0]?.id ?? "");
  expect(node().pool.log.filter(({ command }) => command === "show once")).toHaveLength(1);
  const bulk = bodyOf({ ...base, command: "show bulk", devices: [{ host: "i1" }, { host: "i2" }] });
  const [a, b] = await Promise.all([
    node().jobs.bulk(bulk, admin, "key-2"),
    node().jobs.bulk(bulk, admin, "key-2"),
  ]);
  expect(a.bulk_id).toBe(b.bulk_id);
  // The stored response has the format of its own endpoint.
  await expect(node().jobs.submit(bulk, admin, "key-2")).rejects.toMatchObject({ kind: "Conflict" });
});

test("an Idempotency-Key is valid only for the endpoint of its first use", async () => {
  const one = bodyOf({ ...base, command: "show which" });
  const body = bodyOf({ ...base, command: "show which", devices: [{ host: "e1" }, { host: "e2" }] });
  const [single, bulk] = await Promise.allSettled([
    node().jobs.submit(one, admin, "key-3"),
    node().jobs.bulk(body, admin, "key-3"),
  ]);
  const outcomes = [single, bulk].map((answer) => answer.status).sort();
  expect(outcomes).toEqual(["fulfilled", "rejected"]);
  const bulked = await node().jobs.bulk(body, admin, "key-4");
  await expect(node().jobs.submit(one, admin, "key-4")).rejects.toMatchObject({
    kind: "Conflict",
    message: expect.stringContaining("endpoint"),
  });
  expect(await node().jobs.bulk(body, admin, "key-4")).toEqual(bulked);
});
