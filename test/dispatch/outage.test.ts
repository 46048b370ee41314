/**
 * The libSQL server goes down and comes back: nothing new starts without it, nothing is lost, nothing runs
 * twice.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { freezeProcess } from "../../scripts/testbed/process.ts";
import { startSqld } from "../../scripts/testbed/sqld.ts";
import { pause } from "../../src/base/time/deadline.ts";
import type { LeaseTimes } from "../../src/dispatch/port.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin, bodyOf, configure, query } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const times: LeaseTimes = { leaseMs: 6_000, renewMs: 500, validMs: 5_000 };

async function withServer(
  work: (
    node: Node,
    server: { stop(): Promise<void>; start(): Promise<void>; freeze(): Promise<void>; thaw(): void },
  ) => Promise<void>,
) {
  const folder = temporary();
  const database = mkdtempSync(join(tmpdir(), "patchbay-sqld-"));
  let sqld = await startSqld({ database: join(database, "db") });
  const { port, url } = sqld;
  const node = await startNode({ directory: folder.path, store: { url }, scheduler: { times } });
  await work(node, {
    stop: () => sqld.stop(),
    async start() {
      sqld = await startSqld({ database: join(database, "db"), port });
    },
    freeze: () => freezeProcess(sqld.pid),
    thaw: () => process.kill(sqld.pid, "SIGCONT"),
  });
  await node.stop();
  await sqld.stop();
  folder.remove();
  rmSync(database, { recursive: true, force: true });
}

async function submitUntilTaken(node: Node, request: object, key: string): Promise<string> {
  for (;;) {
    const ticket = await node.jobs.submit(bodyOf(request), admin, key).catch(() => undefined);
    if (ticket) return ticket.id;
    await pause(100);
  }
}

test.each(["stopped", "frozen"] as const)(
  "a store server %s for longer than the lease loses no job and runs none twice",
  async (how) => {
    await withServer(async (node, server) => {
      const before = await node.submit(query("r1", "wait 500"));
      const pushed = await node.submit(configure("r2", ["wait 500"]));
      while (node.pool.log.length < 2) await pause(5);
      if (how === "stopped") await server.stop();
      else await server.freeze();
      const refused = await node.submit(query("r3", "show a")).catch((error) => error);
      expect(refused).toMatchObject({ kind: "Unavailable", detail: { retryAfter: expect.any(Number) } });
      const late = Array.from({ length: 10 }, (_, at) =>
        submitUntilTaken(node, configure(`c${at}`, [`marker ${at}`]), `late-${at}`),
      );
      const readiness = await node.jobs.ready();
      expect(readiness.ready).toBe(false);
      while (!(await node.jobs.ready()).reasons.includes("the lease of this node has expired"))
        await pause(50);
      expect(node.pool.evicted).toContain(undefined);
      const sent = node.pool.log.length;
      await pause(500);
      expect(node.pool.log.length).toBe(sent);
      if (how === "stopped") await server.start();
      else server.thaw();
      const ids = await Promise.all(late);
      for (const id of ids) expect((await node.ended(id)).status).toBe("finished");
      for (let at = 0; at < 10; at++)
        expect(node.pool.log.filter((entry) => entry.command === `marker ${at}`)).toHaveLength(1);
      // Jobs that ended during the outage were written afterwards with their fence.
      for (const id of [before, pushed]) expect((await node.ended(id)).status).toBe("finished");
      expect((await node.jobs.ready()).ready).toBe(true);
    });
  },
);
