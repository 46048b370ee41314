/** Cells are parsed by the schema; a row with another is told, and nothing of its content. */
import Libsql from "libsql";
import { expect, test } from "vitest";
import { chosen } from "../../../src/store/sql/notation.ts";
import type { Cell } from "../../../src/store/sql/rows.ts";
import { fieldsOf, number, orNull, rowShape, text, truth } from "../../../src/store/sql/rows.ts";
import { events, jobs, keys } from "../../../src/store/tables.ts";

const packed = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const resultOf = (columns: string[], ...cells: Cell[]) => ({ columns, rows: [cells], changes: 0 });

test("columns are read by the types of the schema, bytes beside the others", () => {
  const shape = rowShape(fieldsOf(jobs, "id", "bulkId", "hasWebhook", "result"));
  expect(chosen(shape.columns, "libsql")).toBe(
    "cast(json_array(iif(id >= x'', 0, id), iif(bulk_id >= x'', 0, bulk_id), iif(hooked >= x'', 'bytes', hooked)) as blob) as packed, cast(result as blob) as result",
  );
  const rows = shape.read(
    resultOf(["result", "packed"], new Uint8Array([1]), packed('["j\u00c3\u00bc",null,1]')),
  );
  expect(rows).toEqual([{ id: "jü", bulkId: null, hasWebhook: true, result: Buffer.from([1]) }]);
  const listed = rowShape(fieldsOf(keys, "hosts"));
  expect(listed.read(resultOf(["packed"], packed('["[\\"a\\"]"]')))).toEqual([{ hosts: ["a"] }]);
  expect(shape.read(undefined)).toEqual([]);
});

test("expressions are selected once each, whatever they find", () => {
  const shape = rowShape({
    count: number("count", "count(*)"),
    last: orNull(truth("last", "max(x)")),
    name: text("name", "coalesce(a, b)"),
  });
  expect(chosen(shape.columns, "libsql")).toBe(
    "cast(json_array((count(*)) + 0, (max(x)) + 0, (coalesce(a, b)) || '') as blob) as packed",
  );
  expect(shape.read(resultOf(["packed"], packed('[3,null,"n"]')))).toEqual([
    { count: 3, last: null, name: "n" },
  ]);
});

test("a damaged row is told with its table, key and column, and the others are read", () => {
  const shape = rowShape(fieldsOf(jobs, "id", "status", "host", "tags"));
  const rows = (...texts: string[]) => ({
    columns: ["packed"],
    rows: texts.map((text) => [packed(text)]),
    changes: 0,
  });
  const { rows: read, damaged } = shape.readAll(
    rows(
      '["j1","queued","h",null]',
      '["j2","lost","h",null]',
      '["j3","queued","h\xff",null]',
      '["j4",null,"h",null]',
      '["j5","queued",0,null]',
      '["j6","queued","h","{secret"]',
      "[damaged",
    ),
  );
  expect(read).toEqual([{ id: "j1", status: "queued", host: "h", tags: null }]);
  expect(damaged.map(({ table, key, reason }) => `${table} ${key}: ${reason}`)).toEqual([
    "jobs j2: status must be one of queued, held, running, finished, failed, cancelled",
    "jobs j3: host must be UTF-8",
    "jobs j4: status must not be null",
    "jobs j5: host must be text",
    "jobs j6: tags must be a JSON list of texts",
    "jobs undefined: id must be text",
  ]);
  expect(damaged[1]?.fields).toEqual({ id: "j3", status: "queued", tags: null });
  expect(() => shape.read(rows('["j2","lost","h",null]'))).toThrow(
    /table jobs is damaged \(status must be one of .*\): `patchbay doctor` names it/,
  );
  expect(() => shape.read(resultOf(["state"], "queued"))).toThrow("the result has no column packed");
});

test("the binding gives every value of every type without aborting", () => {
  const database = new Libsql(":memory:");
  const shape = rowShape(fieldsOf(events, "n", "host", "attempt"));
  database.exec(`create table events (n integer primary key, host text, attempt integer);
insert into events values (1, 'a' || char(0) || '"\\ü😀', 1), (2, cast(x'61ff' as text), 1), (3, x'61', 1),
  (4, 'h', 'one'), (5, 'h', x'31'), (6, 'h', null), (7, 'h', 1.0)`);
  const found = database
    .prepare(`select ${chosen(shape.columns, "libsql")} from events`)
    .raw(true)
    .all();
  const rows = found.map((cells) => (Array.isArray(cells) ? cells : []));
  const { rows: read, damaged } = shape.readAll({ columns: ["packed"], rows, changes: 0 });
  expect(read).toEqual([
    { n: 1, host: 'a\0"\\ü😀', attempt: 1 },
    { n: 7, host: "h", attempt: 1 },
  ]);
  expect(damaged.map(({ key, reason }) => `${key}: ${reason}`)).toEqual([
    "2: host must be UTF-8",
    "3: host must be text",
    "4: attempt must be a number",
    "5: attempt must be a number",
    "6: attempt must not be null",
  ]);
  database.close();
});
