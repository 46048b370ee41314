/** A value that can no longer be decrypted is reported, and affects no other row. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { openConnection } from "../../../src/store/libsql/database/connect.ts";
import { type Node, startNode } from "../../support/node.ts";
import { admin, configure, query } from "../../support/requests.ts";
import { temporary } from "../../support/temporary.ts";

let folder: ReturnType<typeof temporary>;
let node: Node;
beforeEach(async () => {
  folder = temporary();
  node = await startNode({ directory: folder.path });
});
afterEach(async () => {
  await node.stop();
  folder.remove();
});

/** Flips the last byte of the sealed text, as a bad block would, so that the tag does not match. */
async function damage(column: string, id: string, table = "jobs"): Promise<void> {
  const link = await openConnection({ at: `${folder.path}/patchbay.db`, shared: false });
  await link.batch([
    {
      sql: `update ${table} set ${column} = cast(substr(${column}, 1, length(${column}) - 1)
  || case substr(${column}, -1) when x'00' then x'01' else x'00' end as blob) where id = :id`,
      args: { id },
    },
  ]);
  link.close();
}

test("a damaged result is reported for its job, and the list of jobs is complete", async () => {
  const ids: string[] = [];
  for (const host of ["r1", "r2", "r3"]) ids.push(await node.submit(query(host, "show a")));
  for (const id of ids) await node.ended(id);
  await damage("result", ids[1] ?? "");
  const records = [];
  for await (const page of node.jobs.list({}, admin, {})) records.push(...page);
  expect(records).toHaveLength(3);
  expect(await node.ended(ids[0] ?? "")).toMatchObject({ result: { type: "success" } });
  expect(await node.ended(ids[1] ?? "")).toMatchObject({
    status: "finished",
    result: { type: "failed", error: { message: expect.stringContaining("damaged") } },
  });
});

test("a damaged request fails its own job, and other jobs run", async () => {
  const blocker = await node.submit(query("r1", "wait 500"));
  const bad = await node.submit(configure("r1", ["never sent"]));
  const good = await node.submit(query("r1", "show b"));
  await damage("payload", bad);
  expect((await node.ended(blocker)).status).toBe("finished");
  expect(await node.ended(bad)).toMatchObject({
    status: "failed",
    attempt: 1,
    result: { error: { type: "DriverError", message: expect.stringContaining("damaged") } },
  });
  expect((await node.ended(good)).status).toBe("finished");
  expect(node.pool.log.map(({ command }) => command)).not.toContain("never sent");
});

test('after damage to the sent commands, recovery still reports outcome "unknown"', async () => {
  const lost = await node.submit(configure("r1", ["hang"]));
  while (node.pool.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await node.kill();
  await damage("sent", lost);
  node = await startNode({ directory: folder.path });
  expect(await node.ended(lost)).toMatchObject({
    status: "failed",
    result: {
      error: { type: "WorkerLost", outcome: "unknown", sent: [expect.stringContaining("damaged")] },
    },
  });
});

test("a damaged request of a schedule does not block other schedules", async () => {
  const { schedules } = node.store;
  const lease = node.scheduler.lease();
  if (lease === undefined) throw new Error("no lease");
  const dueAt = Date.now() - 1_000;
  const next = { dueAt, fireAt: dueAt };
  for (const id of ["s1", "s2"]) {
    const values = {
      state: "active",
      why: null,
      spec: '{"overlap":"skip"}',
      request: "{}",
      anchor: 0,
      next,
    } as const;
    await schedules.add({ id, owner: "k1", name: id, ...values }, admin);
    const firings = [{ dueAt, does: "fire", overlap: "skip" }] as const;
    await schedules.step(lease, [{ id, revision: 1, pending: next, firings, next: undefined }]);
  }
  await damage("request", "s1", "schedules");
  const taken = await schedules.take(lease, 10);
  expect(taken.map(({ scheduleId, damaged }) => [scheduleId, damaged]).sort()).toEqual([
    ["s1", true],
    ["s2", false],
  ]);
});

/** As a bad block: one byte of a text is no longer UTF-8. */
async function damageText(column: string, id: string): Promise<void> {
  const link = await openConnection({ at: `${folder.path}/patchbay.db`, shared: false });
  const sql = `update jobs set ${column} = cast(coalesce(${column}, '') || x'ff' as text) where id = :id`;
  await link.batch([{ sql, args: { id } }]);
  link.close();
}

test("a waiting job whose row is damaged fails and is not run, and the jobs behind it run", async () => {
  const logged: string[] = [];
  await node.stop();
  const log = {
    ...silentLog,
    error: (event: string, fields?: object) => void logged.push(`${event} ${JSON.stringify(fields)}`),
  };
  node = await startNode({ directory: folder.path, log, slots: 1 });
  for (const queue_strategy of ["fifo", "pinned"]) {
    const options = { options: { queue_strategy } };
    const blocker = await node.submit(query("r1", "wait 500", options));
    const bad = await node.submit(query("r1", "never run", options));
    const good = await node.submit(query("r1", "show b", options));
    await damageText("driver", bad);
    expect((await node.ended(blocker)).status).toBe("finished");
    expect((await node.ended(good)).status).toBe("finished");
    expect([...(await node.store.jobs.statusesOf([bad]))]).toEqual([[bad, "failed"]]);
    await expect(node.ended(bad)).rejects.toMatchObject({
      kind: "Internal",
      message: expect.stringContaining("A stored row of the table jobs is damaged (driver must be UTF-8)"),
    });
    const ids = [];
    for await (const page of node.jobs.list({}, admin, {})) ids.push(...page.map(({ id }) => id));
    expect(ids).toEqual(expect.arrayContaining([blocker, good]));
    expect(ids).not.toContain(bad);
    expect(logged).toContain(
      `store.damaged_row ${JSON.stringify({ table: "jobs", key: bad, reason: "driver must be UTF-8" })}`,
    );
    expect(logged).toContain(`job.damaged {"job":"${bad}"}`);
  }
  expect(new Set(logged).size).toBe(logged.length);
  expect(node.pool.log.map(({ command }) => command)).not.toContain("never run");
});

test("a running job whose row is damaged is ended at the next start, and is not run again", async () => {
  const lost = await node.submit(configure("r1", ["hang"]));
  while (node.pool.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await node.kill();
  await damageText("caller", lost);
  node = await startNode({ directory: folder.path });
  expect([...(await node.store.jobs.statusesOf([lost]))]).toEqual([[lost, "failed"]]);
  const { rows } = await node.store.raw(`select status, error_type, attempt from jobs`);
  expect(rows).toEqual([["failed", "Internal", 1]]);
  expect(await node.ended(await node.submit(query("r1", "show a")))).toMatchObject({ status: "finished" });
});

test("a thousand waiting jobs whose rows are damaged are ended together, and hide no other job of their lane", async () => {
  await node.stop();
  node = await startNode({ directory: folder.path, slots: 1 });
  await node.submit(query("r1", "hang"));
  const devices = Array.from({ length: 1_000 }, (_, at) => ({ host: `r${at}` }));
  await node.bulk(query("r1", "show a", { devices, options: { queue_strategy: "fifo" } }));
  const link = await openConnection({ at: `${folder.path}/patchbay.db`, shared: false });
  await link.batch([{ sql: "update jobs set strategy = 'lifo' where seq > 2", args: {} }]);
  link.close();
  await node.kill();
  node = await startNode({ directory: folder.path });
  const ended = async () =>
    (await node.store.raw("select status, count(*) from jobs where seq > 1 group by status order by status"))
      .rows;
  await expect.poll(ended, { timeout: 30_000 }).toEqual([
    ["failed", 999],
    ["finished", 1],
  ]);
});

test.each([
  ["another word", "'queueb'", "none"],
  ["not UTF-8", "cast(x'71ff' as text)", "none"],
  ["bytes", "x'6b'", "none"],
  ["of a running job", "'runnink'", "unknown"],
])(
  "a job whose status is damaged (%s) ends as failed, and ended ones stay as they are",
  async (_kind, value, outcome) => {
    const kept = await node.submit(query("r2", "show a"));
    await node.ended(kept);
    const bad = await node.submit(configure("r1", ["hang"]));
    while (node.pool.log.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const waiting = await node.submit(query("r1", "never run"));
    await node.kill();
    const damaged = outcome === "none" ? waiting : bad;
    const link = await openConnection({ at: `${folder.path}/patchbay.db`, shared: false });
    await link.batch([
      { sql: `update jobs set status = ${value} where id in (:kept, :damaged)`, args: { kept, damaged } },
    ]);
    link.close();
    const before = await stateOf(kept);
    node = await startNode({ directory: folder.path });
    expect(await node.ended(damaged)).toMatchObject({
      status: "failed",
      error_type: "Internal",
      result: { error: { type: "Internal", outcome } },
    });
    expect((await node.ended(damaged === bad ? waiting : bad)).status).not.toBe("queued");
    expect(await stateOf(kept)).toEqual(before);
    const { rows } = await node.store.raw(`select outcome from audit where job_id = '${damaged}'`);
    expect(rows).toEqual([["failed"]]);

    async function stateOf(id: string) {
      const link = await openConnection({ at: `${folder.path}/patchbay.db`, shared: false });
      const sql = "select hex(status), length(result), ended_at from jobs where id = :id";
      const { rows } = await link.read({ sql, args: { id } });
      link.close();
      return rows;
    }
  },
);
