/**
 * Under which condition jobs are inserted: once per idempotency key, which is written in their transaction, and only if
 * the inventory has not changed since they were resolved.
 */
import { ServiceError } from "../../../base/errors.ts";
import type { Idempotency, IdempotentAnswer, IdempotentSubmission } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { steadyNow } from "../../sql/notation.ts";
import type { Rows } from "../../sql/rows.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import type { Args, Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { idempotency, jobs } from "../../tables.ts";

const keptMs = 24 * 3_600_000;

export interface IdempotencyGuard {
  readonly before: readonly Statement[];
  /** Condition, beginning with `and`, under which this submission inserts anything. */
  readonly condition: { readonly sql: string; readonly args: Args };
  readonly after: readonly Statement[];
  /** The response to an earlier submission; undefined if this is the first. */
  answer(results: readonly Rows[]): IdempotentAnswer | undefined;
}

const answerRow = rowShape(fieldsOf(idempotency, ...namesBut(idempotency, "dropT")));

const newAnswer = written(idempotency, ...namesBut(idempotency, "dropT"));

export function idempotencyGuard(
  database: Database,
  once: IdempotentSubmission | undefined,
  /** Further conditions for storing the key. */
  also: IdempotencyGuard["condition"] = { sql: "", args: {} },
): IdempotencyGuard {
  if (!once) return { before: [], condition: { sql: "", args: {} }, after: [], answer: () => undefined };
  const { caller, key, token } = once;
  return {
    before: [
      {
        sql: `delete from idempotency where caller = :caller and key = :key and drop_t < ${steadyNow}`,
        args: { caller, key },
      },
      {
        sql: `insert into idempotency (${newAnswer.columns}, drop_t)
select ${newAnswer.parameters}, ${steadyNow} + :kept_ms where true${also.sql}
on conflict (caller, key) do nothing`,
        args: { ...newAnswer.values(database.cipher, once), kept_ms: keptMs, ...also.args },
      },
    ],
    condition: {
      sql: ` and exists (
  select 1 from idempotency where caller = :once_caller and key = :once_key and token = :once_token)`,
      args: { once_caller: caller, once_key: key, once_token: token },
    },
    after: [selectAnswer(caller, key)],
    answer(results) {
      const first = answerOf(database, results.at(-1));
      return first?.token === token ? undefined : first;
    },
  };
}

export function createIdempotency(database: Database): Idempotency {
  return {
    async findAnswer(caller, key) {
      return answerOf(database, await database.read(selectAnswer(caller, key)));
    },
  };
}

function selectAnswer(caller: string, key: string): Statement {
  return {
    sql: `select ${answerRow.columns} from idempotency where caller = :caller and key = :key`,
    args: { caller, key },
  };
}

function answerOf(database: Database, rows: Rows | undefined) {
  const [row] = answerRow.read(rows);
  if (row === undefined) return undefined;
  const answer = database.cipher.tryOpen(row.answer, placeOf(idempotency.answer, row.caller, row.key));
  if (answer === undefined)
    throw new ServiceError(
      "Internal",
      "The stored response for this Idempotency-Key is damaged: use another key.",
    );
  return { body: row.body, token: row.token, answer };
}

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

/** What must still be so: the revision of the inventory, and the step of the change that submits a bulk. */
export interface Unchanged {
  readonly revision: number | undefined;
  readonly change?: { readonly id: string; readonly step: number; readonly part: string } | undefined;
}

function unchangedCondition({ revision, change }: Unchanged): Condition | undefined {
  const ofInventory: Condition[] =
    revision === undefined
      ? []
      : [
          {
            sql: " and coalesce((select revision from inventory_state), 0) = :inventory_revision",
            args: { inventory_revision: revision },
          },
        ];
  const ofChange: Condition[] =
    change === undefined
      ? []
      : [
          {
            sql: ` and exists (select 1 from changes
    where id = :of_change and step = :of_step and (state in ('running', 'returning')
      or (state in ('waiting_approval', 'approved') and :of_part like 'rehearsal.%') or (state = 'paused' and :of_part like 'wave.%.extending.%') or (state = 'stopping' and phase in ('cancelling', 'proving'))))
  and not exists (select 1 from bulks
    where change_id = :of_change and change_part = :of_part and id <> :of_bulk)`,
            args: { of_change: change.id, of_step: change.step, of_part: change.part },
          },
        ];
  const all = [...ofInventory, ...ofChange];
  if (all.length === 0) return undefined;
  return { sql: all.map(({ sql }) => sql).join(""), args: Object.assign({}, ...all.map(({ args }) => args)) };
}

/** @param firstId a job that exists if the insert succeeded: a write is sent again after a lost response */
export function insertionGuard(
  database: Database,
  once: IdempotentSubmission | undefined,
  expected: Unchanged,
  {
    firstId = "",
    bulkId = "",
  }: { readonly firstId?: string | undefined; readonly bulkId?: string | undefined },
): InsertionGuard {
  const stated = unchangedCondition(expected);
  if (stated === undefined) return idempotencyGuard(database, once);
  const unchanged: Condition =
    expected.change === undefined ? stated : { sql: stated.sql, args: { ...stated.args, of_bulk: bulkId } };
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
