/** The connection to the database file: atomic batches, cached statements, value conversion. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Connection } from "../../../../../src/store/libsql/database/connection.ts";
import { faultOf } from "../../../../../src/store/libsql/database/faults.ts";
import { openFile } from "../../../../../src/store/libsql/database/file/file.ts";

let folder: string;
let link: Connection;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "file-"));
  link = openFile(join(folder, "a.db"));
  await link.script("create table t (id integer primary key, value)");
});
afterEach(() => {
  link.close();
  rmSync(folder, { recursive: true });
});

const insert = (id: number, value: string | number | boolean | null | Uint8Array = null) => ({
  sql: "insert into t (id, value) values (:id, :value)",
  args: { id, value },
});
const ids = async () =>
  (await link.read({ sql: "select id from t order by id", args: {} })).rows.map(([id]) => id);

test("a batch is applied completely or not at all, and the next batch works", async () => {
  await expect(link.batch([insert(1), insert(2), insert(1)])).rejects.toMatchObject({
    code: expect.stringMatching(/^SQLITE_CONSTRAINT/),
  });
  expect(await ids()).toEqual([]);
  const [first] = await link.batch([insert(1), insert(2)]);
  expect(first?.changes).toBe(1);
  expect(await ids()).toEqual([1, 2]);
});

test("a statement that cannot be prepared rolls back its batch", async () => {
  await expect(link.batch([insert(1), { sql: "insert into absent values (1)", args: {} }])).rejects.toThrow(
    /no such table/,
  );
  await link.batch([insert(2)]);
  expect(await ids()).toEqual([2]);
});

test("values round-trip; a value that SQLite cannot store is rejected", async () => {
  const values = ["text ✓", 2 ** 40, 1.5, null, new Uint8Array([0, 255]), true];
  await link.batch(values.map((value, id) => insert(id, value)));
  const { columns, rows } = await link.read({ sql: "select value from t order by id", args: {} });
  expect(columns).toEqual(["value"]);
  expect(rows.map(([value]) => value)).toEqual(["text ✓", 2 ** 40, 1.5, null, Buffer.from([0, 255]), 1]);
  await expect(link.batch([insert(9, Number.NaN)])).rejects.toThrow(/finite/);
});

test("the statement cache is bounded and survives a schema change", async () => {
  await link.batch([insert(1, "a")]);
  const all = { sql: "select * from t", args: {} };
  expect((await link.read(all)).columns).toEqual(["id", "value"]);
  for (let n = 0; n < 700; n++) {
    const { rows } = await link.read({ sql: `select ${n}, value from t`, args: {} });
    expect(rows).toEqual([[n, "a"]]);
  }
  await link.script("alter table t add column more");
  const { columns = [], rows } = await link.read(all);
  expect(rows[0]).toHaveLength(columns.length);
});

test("a large batch does not block the event loop", async () => {
  let turns = 0;
  let over = false;
  const count = () => {
    turns++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  await link.batch(Array.from({ length: 3_000 }, (_, id) => insert(id)));
  over = true;
  expect(turns).toBeGreaterThan(5);
  expect(await ids()).toHaveLength(3_000);
});

test("a call on a closed connection fails without effect, and works after a reopen", async () => {
  link.close();
  const failure = await link.batch([insert(1)]).catch((error: unknown) => error);
  expect(faultOf(failure)).toBe("busy");
  await link.reopen();
  await link.batch([insert(2)]);
  expect(await ids()).toEqual([2]);
});
