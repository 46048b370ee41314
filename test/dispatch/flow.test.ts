/** A job from submission to record, the same on both stores. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makePlace, nodeAt, storeKinds, type TestPlace } from "../store/support.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin, configure, query } from "../support/requests.ts";

describe.each(storeKinds)("a job on a node, store: %s", (kind) => {
  let place: TestPlace;
  let node: Node;
  beforeEach(async () => {
    place = await makePlace(kind);
    node = await startNode(nodeAt(place));
  });
  afterEach(async () => {
    await node.stop();
    await place.remove();
  });

  test("is queued, runs, and shows its output by command", async () => {
    const ticket = await node.jobs.submit(
      { text: "{}", value: query("10.0.0.1", ["show clock", "show clock"]) },
      { keyId: "k1", name: "a", scope: "operate", hosts: [], from: null },
    );
    expect(ticket).toMatchObject({ status: "queued", queue: "pinned_10.0.0.1" });
    const record = await node.ended(ticket.id);
    expect(record).toMatchObject({
      status: "finished",
      driver: "netmiko",
      host: "10.0.0.1",
      device_type: "cisco_ios",
      operation: "query",
      attempt: 1,
      worker: "n1.pinned_10.0.0.1",
      result: {
        type: "success",
        retval: { "show clock": "10.0.0.1: show clock", "show clock #2": "10.0.0.1: show clock" },
        error: null,
      },
    });
    expect(record.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    expect(record.duration).toBeGreaterThanOrEqual(0);
  });

  test("records the warnings of its submission and of its run", async () => {
    const plain = await node.ended(await node.submit(query("r1", ["warn it's refused", 'warn "b"'])));
    expect(plain.warnings).toEqual(["it's refused", '"b"']);
    const more = query("r1", "warn later", { driver_args: { sav: true } });
    const both = await node.ended(await node.submit(more));
    expect(both.warnings).toEqual([expect.stringContaining("driver_args.sav"), "later"]);
    const none = await node.ended(await node.submit(query("r1", "show clock")));
    expect(none).not.toHaveProperty("warnings");
  });

  test("runs in submission order on its host, one at a time, even if all are submitted at once", async () => {
    const ids = await Promise.all(
      Array.from({ length: 40 }, (_, at) => node.submit(query("r1", `show ${at}`))),
    );
    for (const id of ids) await node.ended(id);
    expect(node.pool.log.map((entry) => entry.command)).toEqual(
      Array.from({ length: 40 }, (_, at) => `show ${at}`),
    );
    expect(node.pool.most).toBe(1);
  });

  test("keeps the output before a failed command; a push of unknown outcome is not run again", async () => {
    const failed = await node.ended(await node.submit(query("r1", ["show a", "fail b", "show c"])));
    expect(failed.result).toMatchObject({
      type: "failed",
      retval: { "show a": "r1: show a" },
      error: { type: "CommandError", command: "fail b" },
    });
    expect(failed.result?.error).not.toHaveProperty("outcome");
    const lost = await node.ended(await node.submit(configure("r2", ["lose it"])));
    expect(lost).toMatchObject({
      status: "failed",
      attempt: 1,
      result: { error: { type: "WorkerLost", outcome: "unknown", sent: ["lose it"] } },
    });
    const again = await node.ended(await node.submit(query("r3", "lose it", { options: { retries: 2 } })));
    expect(again).toMatchObject({ status: "failed", attempt: 3, result: { error: { outcome: "unknown" } } });
    const quiet = await node.ended(await node.submit(configure("r4", ["quiet"])));
    expect(quiet).toMatchObject({ status: "failed", attempt: 3, result: { error: { type: "WorkerLost" } } });
    expect(quiet.result?.error).not.toHaveProperty("outcome");
  });

  test("that is invalid in a bulk is stored as failed, with the reason", async () => {
    const answer = await node.bulk({
      driver: "netmiko",
      connection_args: { device_type: "cisco_ios", username: "u", password: "p" },
      command: "show version",
      devices: [
        { host: "a1" },
        { host: "a2", port: "no" },
        { host: "a3", device_type: "cisco_iso" },
        { port: 22 },
      ],
    });
    expect(answer.succeeded).toHaveLength(1);
    expect(answer.failed).toEqual(["a2", "a3", "device 4"]);
    expect(answer.failed_jobs[1]?.reason).toContain("Did you mean cisco_ios");
    await node.jobs.waitForBulk(answer.bulk_id, 10_000, new AbortController().signal);
    const records = [];
    for await (const page of node.jobs.list(
      { bulk_id: answer.bulk_id },
      { keyId: "k", name: "n", scope: "read", hosts: [], from: null },
      {},
    ))
      records.push(...page);
    expect(records.map((entry) => entry.status).sort()).toEqual(["failed", "failed", "failed", "finished"]);
  });

  test("is cancelled while queued, and while running only by force", async () => {
    const running = await node.submit(query("r1", "hang"));
    const waiting = await node.submit(query("r1", "show b"));
    while (node.pool.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await node.jobs.cancel({ id: waiting }, false, admin)).toEqual([waiting]);
    await expect(node.jobs.cancel({ id: running }, false, admin)).rejects.toMatchObject({
      kind: "BusinessFailure",
    });
    await expect(node.jobs.cancel({ id: "nothing" }, false, admin)).rejects.toMatchObject({
      kind: "NotFound",
    });
    expect(await node.jobs.cancel({ id: running }, true, admin)).toEqual([running]);
    expect(await node.ended(running)).toMatchObject({
      status: "failed",
      result: { error: { type: "Cancelled", outcome: "unknown", sent: ["hang"] } },
    });
    expect((await node.ended(waiting)).status).toBe("cancelled");
  });

  test("is stopped when it exceeds its ttl", async () => {
    const id = await node.submit(query("r1", "hang", { options: { ttl: 3 } }));
    expect((await node.ended(id)).result?.error).toMatchObject({ type: "JobTimeout", outcome: "unknown" });
  });

  test("that is stopped before its first byte sends nothing and is not started again", async () => {
    for (const [why, type] of [
      ["cancel", "Cancelled"],
      ["worker", "WorkerLost"],
    ] as const) {
      const id = await node.submit(query("r1", "slow login 150"));
      while (node.pool.running() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      // As another node requests it: through the row only.
      await node.store.claims.requestStop([id], why);
      const record = await node.ended(id);
      expect(record).toMatchObject({ status: "failed", attempt: 1, result: { error: { type } } });
      expect(record.result?.error).not.toHaveProperty("outcome");
    }
    expect(node.pool.log).toEqual([]);
  });

  test("fails as AuthBackoff after repeated rejected passwords on its device", async () => {
    const ids = await Promise.all(
      Array.from({ length: 30 }, () =>
        node.submit(query("r1", "wrong password", { options: { queue_strategy: "fifo" } })),
      ),
    );
    const types = await Promise.all(ids.map(async (id) => (await node.ended(id)).result?.error?.type));
    expect(types.filter((type) => type === "AuthenticationFailed")).toHaveLength(3);
    expect(types.filter((type) => type === "AuthBackoff")).toHaveLength(27);
  });
});
