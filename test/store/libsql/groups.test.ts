/** Rows are written in groups of few sizes: statements are prepared and cached by number of rows. */
import { randomBytes } from "node:crypto";
import Libsql from "libsql";
import { expect, test, vi } from "vitest";
import { inGroups } from "../../../src/store/libsql/database/database.ts";
import { temporary } from "../../support/temporary.ts";
import { closeStore, newJob, openStore } from "../support.ts";

test("rows are grouped in order, in eleven group sizes with at most four small groups", () => {
  const met = new Set<number>();
  for (let count = 0; count < 130; count++) {
    const rows = Array.from({ length: count }, (_, at) => at);
    const groups = inGroups(rows, 50);
    expect(groups.flat()).toEqual(rows);
    for (const { length } of groups) met.add(length);
    expect(groups.filter(({ length }) => length < 50).length).toBeLessThanOrEqual(4);
  }
  expect([...met].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 50]);
});

test("any number of jobs needs only a few prepared statements", async () => {
  const folder = temporary();
  const texts = new Set<string>();
  const prepare = Libsql.prototype.prepare;
  const spy = vi.spyOn(Libsql.prototype, "prepare").mockImplementation(function (this: Libsql.Database, sql) {
    texts.add(sql);
    return prepare.call(this, sql);
  });
  const store = await openStore({ directory: folder.path });
  const alone = async (count: number) =>
    Promise.all(Array.from({ length: count }, () => store.jobs.insert([newJob(store)])));
  for (const count of [5, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 20]) {
    await alone(count);
    await store.jobs.insert(Array.from({ length: count }, () => newJob(store)));
  }
  const ofJobs = [...texts].filter((sql) => sql.startsWith("with new_job"));
  expect(ofJobs.length).toBeGreaterThan(0);
  expect(ofJobs.length).toBeLessThanOrEqual(8);
  await closeStore(store);
  spy.mockRestore();
  folder.remove();
});

test("jobs are stored in order of submission, even if sealing the first takes long", async () => {
  const folder = temporary();
  const store = await openStore({ directory: folder.path });
  const jobOf = (at: number) =>
    newJob(store, { payload: at < 50 ? randomBytes(150_000).toString("hex") : "{}" });
  const jobs = Array.from({ length: 60 }, (_, at) => jobOf(at));
  await Promise.all(jobs.map((job) => store.jobs.insert([job])));
  const stored = await store.jobs.listed({}, 100);
  expect(stored.map(({ head }) => head.id).reverse()).toEqual(jobs.map(({ id }) => id));
  await closeStore(store);
  folder.remove();
});
