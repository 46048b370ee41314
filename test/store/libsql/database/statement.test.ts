/** Named parameters, lists of rows, and the cost of a statement. */
import { expect, test } from "vitest";
import { bind } from "../../../../src/store/libsql/database/statement.ts";
import { costOf, givenTable } from "../../../../src/store/sql/statement.ts";

test("a named parameter is one value wherever it occurs; quoted text is not a parameter", () => {
  const sql = "select :b, ':b', :a from t where x = :b and y = 'it''s :a'";
  expect(bind({ sql, args: { a: 1, b: null } })).toEqual({
    sql: "select ?1, ':b', ?2 from t where x = ?1 and y = 'it''s :a'",
    values: [null, 1],
  });
});

test("a list of rows is bound as one parameter, with one SQL text per number of rows", () => {
  const table = (rows: number) =>
    givenTable(
      "r",
      { x: "bigint", y: "text" },
      Array.from({ length: rows }, (_, at) => ({ x: at, y: "z" })),
    );
  const statement = (rows: number) => ({
    sql: `with ${table(rows).definition} insert into t select x, y, :now from r where x < :now`,
    args: { ...table(rows).args, now: 9 },
  });
  expect(bind(statement(2))).toEqual({
    sql: "with r (x, y) as (values (?1, ?2), (?3, ?4)) insert into t select x, y, ?5 from r where x < ?5",
    values: [0, "z", 1, "z", 9],
  });
  expect(bind(statement(1)).values).toEqual([0, "z", 9]);
  expect(bind(statement(2)).values).toEqual([0, "z", 1, "z", 9]);
  expect(costOf([statement(50)])).toBeGreaterThan(costOf([statement(1)]));
});

test("a parameter without a value is rejected, and not retried", () => {
  expect(() => bind({ sql: "select :a", args: {} })).toThrow(
    expect.objectContaining({ message: expect.stringContaining(":a"), code: "SQLITE_ERROR" }),
  );
});
