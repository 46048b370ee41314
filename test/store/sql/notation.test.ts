/** One statement, as each store takes it. */
import { expect, test } from "vitest";
import { bind as bindLibsql } from "../../../src/store/libsql/database/statement.ts";
import { bind as bindPostgres } from "../../../src/store/postgres/database/statement.ts";
import { either, itemsOf, joinInOrder } from "../../../src/store/sql/notation.ts";
import { type Args, givenColumns, givenMany } from "../../../src/store/sql/statement.ts";

function written(sql: string, args: Args = {}) {
  const [libsql, postgres] = [bindLibsql({ sql, args }), bindPostgres({ sql, args })];
  return { libsql: [libsql.sql, ...libsql.values], postgres: [postgres.sql, ...postgres.values] };
}

test("a list is one parameter, in a condition and as a table", () => {
  expect(written("id in :ids and x not in :ids", { ids: ["a", 'b"'] })).toEqual({
    libsql: [
      "id in (select value from json_each(?1)) and x not in (select value from json_each(?1))",
      '["a","b\\""]',
    ],
    postgres: ["id = any($1::text[]) and x <> all($1::text[])", '{"a","b\\""}'],
  });
  expect(written("select one.value from each(:ns) one", { ns: [1, 2] })).toEqual({
    libsql: ["select one.value from json_each(?1) one", "[1,2]"],
    postgres: ["select one.value from unnest($1::bigint[]) one (value)", "{1,2}"],
  });
});

test("rows are given as a table: each cell, all as JSON, or each column is a parameter", () => {
  const rows = [
    { id: 1, body: Buffer.from("a") },
    { id: 2, body: null },
  ];
  const types = { id: "bigint", body: "bytea" } as const;
  const postgres = ["{1,2}", '{"\\\\x61",NULL}'];
  const few = givenColumns("given", types);
  expect(written(`with ${few.definition} select :a`, { ...few.args(rows), a: 0 })).toEqual({
    libsql: ["with given (id, body) as (values (?1, ?2), (?3, ?4)) select ?5", 1, rows[0]?.body, 2, null, 0],
    postgres: [
      "with given (id, body) as (select * from unnest($1::bigint[], $2::bytea[])) select $3::bigint",
      ...postgres,
      "0",
    ],
  });
  const many = givenMany("given", types);
  expect(written(`with ${many.definition} select 1`, many.args(rows))).toEqual({
    libsql: [
      "with given (id, body) as materialized (select value ->> 0, unhex(value ->> 1) from json_each(?1)) select 1",
      '[[1,"61"],[2,null]]',
    ],
    postgres: [
      "with given (id, body) as materialized (select * from unnest($1::bigint[], $2::bytea[])) select 1",
      ...postgres,
    ],
  });
});

test("hints are for SQLite, and what both have is called as each calls it; quoted text stays as it is", () => {
  const sql = `select greatest(a, least(b, 1)), rowid, body ->> '$.change', ' in :ids' from jobs j indexed by jobs_ready
where +status = 'rowid +x' and strpos(a, '''least(') + b > 0`;
  expect(written(sql)).toEqual({
    libsql: [
      `select max(a, min(b, 1)), rowid, body ->> '$.change', ' in :ids' from jobs j indexed by jobs_ready
where +status = 'rowid +x' and instr(a, '''least(') + b > 0`,
    ],
    postgres: [
      `select greatest(a, least(b, 1)), row_n, patchbay_member(body, 'change'), ' in :ids' from jobs j
where status = 'rowid +x' and strpos(a, '''least(') + b > 0`,
    ],
  });
});

test("what is left is said for each, one within the other", () => {
  expect(written(`from a ${joinInOrder} ${itemsOf(either("x", "y"), "one")}`)).toEqual({
    libsql: ["from a cross join json_each(x) one"],
    postgres: ["from a join patchbay_list(y) one (value)"],
  });
});
