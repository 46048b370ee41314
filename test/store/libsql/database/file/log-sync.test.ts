/** Commits are fsynced off the event loop; a WAL that cannot be synced is checkpointed into the file. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pause } from "../../../../../src/base/time/deadline.ts";
import { openFile } from "../../../../../src/store/libsql/database/file/file.ts";
import { createLogSync } from "../../../../../src/store/libsql/database/file/log-sync.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a commit is readable at once, and reports when it is on disk", async () => {
  const link = openFile(join(folder, "a.db"));
  await link.script("create table t (id integer primary key)");
  await link.batch([{ sql: "insert into t values (1)", args: {} }]);
  const first = link.synced();
  await link.batch([{ sql: "insert into t values (2)", args: {} }]);
  const second = link.synced();
  expect((await link.read({ sql: "select count(*) from t", args: {} })).rows).toEqual([[2]]);
  expect(first).toBeInstanceOf(Promise);
  expect(second).not.toBe(first);
  await second;
  expect(link.synced()).toBeUndefined();
  expect((await link.read({ sql: "pragma synchronous", args: {} })).rows).toEqual([[1]]);
  expect((await link.read({ sql: "pragma journal_mode", args: {} })).rows).toEqual([["wal"]]);
  await link.reopen();
  await link.batch([{ sql: "insert into t values (3)", args: {} }]);
  await link.synced();
  link.close();
});

test("a WAL that cannot be synced is checkpointed; if that fails too, the commit is not acknowledged", async () => {
  const fallbacks: string[] = [];
  const absent = createLogSync(join(folder, "absent.db"), () => void fallbacks.push("written"));
  absent.start();
  await absent.synced();
  expect([fallbacks, absent.synced()]).toEqual([["written"], undefined]);
  const broken = createLogSync(join(folder, "absent.db"), () => {
    throw new Error("no space");
  });
  broken.start();
  await expect(broken.synced()).rejects.toThrow("no space");
});

test("syncs are sequential: a later commit waits for a later sync", async () => {
  writeFileSync(join(folder, "b.db-wal"), "log");
  const log = createLogSync(join(folder, "b.db"), () => expect.unreachable());
  const ended: number[] = [];
  for (const n of [1, 2, 3]) {
    log.start();
    void log.synced()?.then(() => ended.push(n));
  }
  await log.synced();
  expect(ended).toEqual([1, 2, 3]);
  log.close();
});

test("commits are synced even if the thread pool is occupied by others", async () => {
  writeFileSync(join(folder, "c.db-wal"), "log");
  let now = 0;
  const disk = { sync() {}, syncNow: () => void now++, look() {} };
  const log = createLogSync(join(folder, "c.db"), () => expect.unreachable(), disk);
  log.start();
  await log.synced();
  expect([now, log.synced()]).toEqual([1, undefined]);
  log.close();
});

test("a slow disk does not block the event loop", async () => {
  writeFileSync(join(folder, "d.db-wal"), "log");
  let begun: (error: Error | null) => void = () => {};
  const looked = Promise.withResolvers<void>();
  const disk = {
    sync(_open: number, done: typeof begun) {
      begun = done;
    },
    syncNow: () => expect.unreachable(),
    look: (done: () => void) => {
      done();
      looked.resolve();
    },
  };
  const log = createLogSync(join(folder, "d.db"), () => expect.unreachable(), disk);
  log.start();
  const synced = log.synced();
  await looked.promise;
  await pause(300);
  expect(log.synced()).toBe(synced);
  begun(null);
  await synced;
  expect(log.synced()).toBeUndefined();
  log.close();
});
