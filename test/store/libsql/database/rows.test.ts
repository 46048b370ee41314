/** Cells are parsed by the schema, and rejected if they have another type. */
import { expect, test } from "vitest";
import type { Cell } from "../../../../src/store/libsql/database/connection.ts";
import { fieldsOf, number, orNull, rowShape, truth } from "../../../../src/store/libsql/database/rows.ts";
import { jobs, keys } from "../../../../src/store/libsql/database/schema.ts";

const resultOf = (columns: string[], ...cells: Cell[]) => ({ columns, rows: [cells], changes: 0 });

test("columns are read by name with the types of the schema, in any order", () => {
  const shape = rowShape(fieldsOf(jobs, "id", "bulkId", "hasWebhook", "result"));
  expect(shape.columns).toBe("id, bulk_id, hooked, result");
  const rows = shape.read(
    resultOf(["result", "hooked", "bulk_id", "id"], new Uint8Array([1]), 1, null, "j1"),
  );
  expect(rows).toEqual([{ id: "j1", bulkId: null, hasWebhook: true, result: Buffer.from([1]) }]);
  expect(rowShape(fieldsOf(keys, "hosts")).read(resultOf(["hosts"], '["a"]'))).toEqual([{ hosts: ["a"] }]);
  expect(shape.read(undefined)).toEqual([]);
});

test("expressions are selected under their names", () => {
  const shape = rowShape({ count: number("count", "count(*)"), last: orNull(truth("last", "max(x)")) });
  expect(shape.columns).toBe("count(*) as count, max(x) as last");
  expect(shape.read(resultOf(["count", "last"], 3, null))).toEqual([{ count: 3, last: null }]);
});

test("a cell of another type than the schema's is rejected with its column", () => {
  const shape = rowShape(fieldsOf(jobs, "status"));
  expect(() => shape.read(resultOf(["status"], "lost"))).toThrow("status must not be lost");
  expect(() => shape.read(resultOf(["status"], null))).toThrow("status must not be null");
  expect(() => shape.read(resultOf(["status"], 1))).toThrow("status must be text");
  expect(() => shape.read(resultOf(["state"], "queued"))).toThrow("the result has no column status");
});
