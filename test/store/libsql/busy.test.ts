/** Another process holds the file lock: nothing acknowledged is lost, and the event loop is not blocked. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { pause } from "../../../src/base/time/deadline.ts";
import { openConnection } from "../../../src/store/libsql/database/connect.ts";
import { temporary } from "../../support/temporary.ts";
import { closeStore, newJob, openStore } from "../support.ts";

/** Holds the write lock for `holdMs`, `rounds` times, and inserts a row each time. */
function intruder(file: string, rounds: number, holdMs: number): Promise<number | null> {
  const script = `import { createClient } from ${JSON.stringify(join(process.cwd(), "node_modules/@libsql/client/lib-esm/node.js"))};
const open = () => createClient({ url: ${JSON.stringify(`file:${file}`)}, timeout: 2000, concurrency: 1 });
for (let round = 0; round < ${rounds}; round++) {
  try {
    const held = await open().transaction("write");
    await held.execute({ sql: "insert into meta (key, value) values (?, 'x')", args: ["intruder-" + round] });
    await Bun.sleep(${holdMs});
    await held.commit();
  } catch { round--; }
  await Bun.sleep(20);
}`;
  const child = spawn(process.execPath, ["-e", script], { stdio: "inherit" });
  return new Promise((resolve) => child.once("exit", resolve));
}

test("submissions during file locks are stored or rejected, never lost", async () => {
  const folder = temporary();
  const store = await openStore({ directory: folder.path });
  const file = join(folder.path, "patchbay.db");
  let over = false;
  const done = intruder(file, 6, 300).then((code) => {
    over = true;
    expect(code).toBe(0);
  });
  let turns = 0;
  const turning = (async () => {
    while (!over) {
      await pause(10);
      turns++;
    }
  })();
  const acknowledged: string[] = [];
  let refused = 0;
  while (!over) {
    const jobs = Array.from({ length: 8 }, () => newJob(store, { strategy: "fifo" }));
    for (const [at, outcome] of (
      await Promise.allSettled(jobs.map((job) => store.jobs.insert([job])))
    ).entries()) {
      if (outcome.status === "fulfilled") acknowledged.push(jobs[at]?.id ?? "");
      else refused++;
    }
  }
  await Promise.all([done, turning]);
  expect(turns).toBeGreaterThan(20);
  expect(acknowledged.length).toBeGreaterThan(0);
  const other = await openConnection({ at: file, shared: false });
  const { rows } = await other.read({ sql: "select id from jobs", args: {} });
  const stored = new Set(rows.map((row) => String(row[0])));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  expect(refused).toBeLessThan(acknowledged.length);
  const intruded = await other.read({
    sql: "select count(*) from meta where key like 'intruder-%'",
    args: {},
  });
  expect(intruded.rows[0]?.[0]).toBe(6);
  other.close();
  await closeStore(store);
  folder.remove();
});

test("a lock longer than the caller's budget fails as Unavailable, and the next call works", async () => {
  const folder = temporary();
  const store = await openStore({ directory: folder.path }, { patienceMs: 2_500 });
  const done = intruder(join(folder.path, "patchbay.db"), 1, 6_000);
  let error: unknown;
  while (!error) {
    await pause(20);
    await store.jobs.insert([newJob(store)]).catch((reason) => {
      error = reason;
    });
  }
  expect(error).toMatchObject({ kind: "Unavailable", detail: { retryAfter: 2 } });
  await done;
  await store.jobs.insert([newJob(store)]);
  await closeStore(store);
  folder.remove();
});

test("processes that open and close the file concurrently do not damage it", async () => {
  const folder = temporary();
  const main = await openStore({ directory: folder.path });
  const support = join(process.cwd(), "test/store/support.ts");
  const script = `const { openStore, closeStore } = await import(${JSON.stringify(support)});
for (let round = 0; round < 15; round++) {
  const store = await openStore({ directory: ${JSON.stringify(folder.path)} }, { ownsDirectory: false });
  await store.keys.add({ name: "k" + process.pid + "-" + round, key: "x" + process.pid + "-" + round, scope: "read", hosts: [] }, { keyId: "k", name: "n", from: null });
  await closeStore(store);
}`;
  const children = [1, 2].map(() => {
    const child = spawn(process.execPath, ["-e", script], { stdio: "inherit" });
    return new Promise((resolve) => child.once("exit", resolve));
  });
  let over = false;
  const codes = Promise.all(children).finally(() => {
    over = true;
  });
  let count = 0;
  while (!over) {
    await main.jobs.insert(Array.from({ length: 20 }, () => newJob(main, { strategy: "fifo" })));
    count += 20;
    const beside = await openStore({ directory: folder.path }, { ownsDirectory: false });
    await closeStore(beside);
  }
  expect(await codes).toEqual([0, 0]);
  expect((await main.raw("pragma integrity_check")).rows).toEqual([["ok"]]);
  expect((await main.raw("select count(*) from jobs")).rows[0]?.[0]).toBe(count);
  expect(await main.keys.list()).toHaveLength(30);
  await closeStore(main);
  folder.remove();
});
