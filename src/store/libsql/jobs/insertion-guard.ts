/**
 * The condition for inserting jobs: once per idempotency key, and only if the inventory has not changed since they were
 * resolved.
 */
import type { IdempotentAnswer, IdempotentSubmission } from "../../port.ts";
import { jobs } from "../../tables.ts";
import type { Rows } from "../database/connection.ts";
import type { Database } from "../database/database.ts";
import { fieldsOf, rowShape } from "../database/rows/rows.ts";
import type { Args, Statement } from "../database/statement.ts";
import { idempotencyGuard } from "./idempotency.ts";

/** Condition for inserting anything, beginning with `and`. */
export interface Condition {
  readonly sql: string;
  readonly args: Args;
}

export interface InsertionGuard {
  readonly before: readonly Statement[];
  readonly condition: Condition;
  readonly after: readonly Statement[];
  answer(results: readonly Rows[]): IdempotentAnswer | "stale" | undefined;
}

const idRow = rowShape(fieldsOf(jobs, "id"));

/** @param firstId a job that exists if the insert succeeded: a write is sent again after a lost response */
export function insertionGuard(
  database: Database,
  once: IdempotentSubmission | undefined,
  revision: number | undefined,
  firstId = "",
): InsertionGuard {
  if (revision === undefined) return idempotencyGuard(database, once);
  const unchanged: Condition = {
    sql: " and coalesce((select revision from inventory_state), 0) = :inventory_revision",
    args: { inventory_revision: revision },
  };
  const guard = idempotencyGuard(database, once, unchanged);
  const isThere: Statement = {
    sql: `select ${idRow.columns} from jobs where id = :id`,
    args: { id: firstId },
  };
  const condition = {
    sql: `${guard.condition.sql}${unchanged.sql}`,
    args: { ...guard.condition.args, ...unchanged.args },
  };
  return {
    before: guard.before,
    condition,
    after: [isThere, ...guard.after],
    answer(results) {
      const earlier = guard.answer(results);
      if (earlier !== undefined) return earlier;
      const idRows = results.at(guard.after.length === 0 ? -1 : -2);
      return idRow.read(idRows).length === 0 ? "stale" : undefined;
    },
  };
}
