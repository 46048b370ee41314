/** A new master key: everything is re-sealed during use, then the old key decrypts nothing. */
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Rows } from "../../../src/store/sql/rows.ts";
import { startNode } from "../../support/node.ts";
import { admin, bodyOf, configure, query } from "../../support/requests.ts";
import { closeStore, makePlace, newJob, nodeAt, openStore, storeKinds } from "../support.ts";

const [oldKey, newKey] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)];
const options = { webhook: { url: "http://a.example/x" } };

describe.each(storeKinds)("a rotation of the master key, store: %s", (kind) => {
  test("leaves everything readable with the new key alone", async () => {
    const place = await makePlace(kind);
    const first = await startNode(nodeAt(place));
    const body = bodyOf(query("r1", ["show a", "show b"], { options }));
    const { id } = await first.jobs.submit(body, admin, "key");
    await first.ended(id);
    const waiting = [
      await first.submit(configure("r2", ["hang"])),
      await first.submit(configure("r2", ["later"])),
    ];
    while (first.pool.log.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    await first.kill();

    const rotating = await openStore(place, { masterKey: newKey, formerKeys: [oldKey] });
    expect(rotating.rotation.isDue).toBe(true);
    expect(await rotating.rotation.reseal()).toBeGreaterThanOrEqual(5);
    expect(await rotating.rotation.reseal()).toBe(0);
    await closeStore(rotating);
    await expect(openStore(place, { masterKey: oldKey })).rejects.toMatchObject({
      message: expect.stringContaining("master key"),
    });

    const second = await startNode(nodeAt(place, { masterKey: newKey }));
    expect((await second.ended(id)).result?.retval).toEqual({
      "show a": "r1: show a",
      "show b": "r1: show b",
    });
    expect((await second.ended(waiting[0] ?? "")).result?.error).toMatchObject({
      outcome: "unknown",
      sent: ["hang"],
    });
    expect((await second.ended(waiting[1] ?? "")).status).toBe("finished");
    await second.stop();
    await place.remove();
  });

  test("keeps recognising repeated Idempotency-Keys", async () => {
    const place = await makePlace(kind);
    const first = await startNode(nodeAt(place));
    const body = bodyOf(query("r1", "show a"));
    const ticket = await first.jobs.submit(body, admin, "key");
    await first.stop();
    const second = await startNode(nodeAt(place, { masterKey: newKey, formerKeys: [oldKey] }));
    expect((await second.jobs.submit(body, admin, "key")).id).toBe(ticket.id);
    await expect(second.jobs.submit(bodyOf(query("r1", "show b")), admin, "key")).rejects.toMatchObject({
      kind: "Conflict",
    });
    await second.stop();
    await place.remove();
  });
});

test("reads large rows by size, not by number", async () => {
  const place = await makePlace("file");
  const before = await openStore(place, { masterKey: oldKey });
  const large = () => newJob(before, { payload: randomBytes(500_000).toString("base64") });
  for (let n = 0; n < 6; n++) await before.jobs.insert([large()]);
  await closeStore(before);
  let most = 0;
  const bytesOf = ({ rows }: Rows) =>
    rows.flat().reduce((sum: number, cell) => sum + (cell instanceof Uint8Array ? cell.length : 0), 0);
  const rotating = await openStore(place, {
    masterKey: newKey,
    formerKeys: [oldKey],
    wrap: (connection) => ({
      ...connection,
      async read(statement) {
        const found = await connection.read(statement);
        most = Math.max(most, bytesOf(found));
        return found;
      },
    }),
  });
  // And the key that signs checkpoints of the ledger.
  expect(await rotating.rotation.reseal()).toBe(6 + 1);
  expect(await rotating.rotation.reseal()).toBe(0);
  expect(most).toBeGreaterThan(500_000);
  expect(most).toBeLessThan(2_000_000);
  await closeStore(rotating);
  await place.remove();
});
