/** A machine that boots with a clock years off, corrected while the service runs or before its next start. */
import { expect, test } from "vitest";
import type { Node } from "../support/node.ts";
import { startNode } from "../support/node.ts";
import { admin, query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const yearMs = 365 * 86_400_000;

async function withClock(offMs: number, work: (place: Place) => Promise<void>): Promise<void> {
  const folder = temporary();
  let off = offMs;
  const clock = { wall: () => Date.now() + off, monotonic: () => performance.now() };
  const start = () => startNode({ directory: folder.path, store: { clock } });
  const setRight = () => {
    off = 0;
  };
  try {
    await work({ start, setRight });
  } finally {
    folder.remove();
  }
}

interface Place {
  start(): Promise<Node>;
  setRight(): void;
}

test.each([-10 * yearMs, 10 * yearMs])(
  "correcting a clock that is off by %i ms expires no queued job",
  async (offMs) => {
    await withClock(offMs, async ({ start, setRight }) => {
      let node = await start();
      const before = await node.submit(query("r1", "show a"));
      expect((await node.ended(before)).status).toBe("finished");
      const blocker = await node.submit(query("r1", "hang"));
      const waiting = await node.submit(query("r1", "show b", { options: { ttl: 3600 } }));
      await expect.poll(() => node.pool.log.length).toBe(2);
      setRight();
      await node.scheduler.sweep();
      await node.store.nodes.retireExpired(0);
      expect((await node.jobs.waitFor(waiting, 0, new AbortController().signal))?.status).toBe("queued");
      await node.jobs.cancel({ id: blocker }, true, admin);
      const record = await node.ended(waiting);
      expect(record.status).toBe("finished");
      expect(record.queue_time).toBeGreaterThanOrEqual(0);
      expect(record.duration).toBeGreaterThanOrEqual(0);
      await node.kill();

      node = await start();
      const after = await node.submit(query("r1", "show c"));
      expect((await node.ended(after)).status).toBe("finished");
      await node.scheduler.sweep();
      const kept = (await node.store.jobs.page({}, 10)).map(({ id }) => id);
      expect(kept[0]).toBe(after);
      // Monotonic time continues from the later of both; if the clock was behind, the stored jobs are years old.
      expect(kept).toEqual(offMs > 0 ? [after, waiting, blocker, before] : [after]);
      await node.stop();
    });
  },
);

test("a queued job expires if the clock jumps by years during a restart", async () => {
  await withClock(-10 * yearMs, async ({ start, setRight }) => {
    let node = await start();
    await node.submit(query("r1", "hang"));
    const waiting = await node.submit(query("r1", "show b", { options: { ttl: 3600 } }));
    await expect.poll(() => node.pool.log.length).toBe(1);
    await node.kill();
    setRight();
    node = await start();
    await node.scheduler.sweep();
    expect((await node.ended(waiting)).result?.error).toMatchObject({ type: "JobExpired" });
    await node.stop();
  });
});

test.each([-10 * yearMs, 10 * yearMs])(
  "correcting a clock that is off by %i ms revalidates keys and ends login sessions",
  async (offMs) => {
    await withClock(offMs, async ({ start, setRight }) => {
      const node = await start();
      const { keys, loginSessions } = node.store;
      const shape = { scope: "admin" as const, hosts: [] };
      await keys.add({ ...shape, name: "lasting", key: "lasting" }, admin);
      await keys.add({ ...shape, name: "until", key: "until", expiresAt: Date.now() + 3_600_000 }, admin);
      const keyId = (await keys.find("lasting"))?.id ?? "";
      await loginSessions.add({ token: "t", holder: keyId, address: null, agent: null }, admin);
      expect(await loginSessions.find("t")).toBeDefined();
      // With a clock that is ahead the key has expired; with the correct time it is valid.
      expect((await keys.find("until"))?.name).toBe(offMs > 0 ? undefined : "until");
      setRight();
      expect((await keys.find("until"))?.name).toBe("until");
      expect((await keys.find("lasting"))?.name).toBe("lasting");
      expect(await loginSessions.find("t")).toBeUndefined();
      await loginSessions.writeUses();
      expect(await loginSessions.list(keyId)).toEqual([]);
      await loginSessions.add({ token: "u", holder: keyId, address: null, agent: null }, admin);
      expect(await loginSessions.find("u")).toBeDefined();
      await node.stop();
    });
  },
);
