/** Idempotency keys, written in the transaction of their jobs, so that a repeated submission creates its jobs once. */
import { ServiceError } from "../../../base/errors.ts";
import type { Idempotency, IdempotentAnswer, IdempotentSubmission } from "../../port.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { idempotency } from "../../tables.ts";
import type { Rows } from "../database/connection.ts";
import { type Database, steadyNow } from "../database/database.ts";
import { fieldsOf, rowShape } from "../database/rows/rows.ts";
import { written } from "../database/rows/written.ts";
import type { Args, Statement } from "../database/statement.ts";

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
  const now = database.now();
  return {
    before: [
      {
        sql: `delete from idempotency where caller = :caller and key = :key and drop_t < ${steadyNow}`,
        args: { caller, key, now },
      },
      {
        sql: `insert into idempotency (${newAnswer.columns}, drop_t)
select ${newAnswer.parameters}, ${steadyNow} + :kept_ms where true${also.sql}
on conflict (caller, key) do nothing`,
        args: { ...newAnswer.values(database.cipher, once), now, kept_ms: keptMs, ...also.args },
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
