/** The same submission sent twice makes its jobs once: the key stands in the transaction of the jobs. */
import { ServiceError } from "../../base/errors.ts";
import type { IdempotentAnswer, IdempotentSubmission } from "../port.ts";
import type { Rows, Statement } from "./connect.ts";
import { type Database, named, nowSql } from "./database.ts";
import { seals } from "./seals.ts";

const keptMs = 24 * 3_600_000;

export interface IdempotencyGuard {
  readonly before: readonly Statement[];
  /** Condition, with a leading `and`, under which this submission inserts anything. */
  readonly condition: Statement;
  readonly after: readonly Statement[];
  /** What an earlier submission answered; undefined when this one is the first. */
  answer(results: readonly Rows[]): IdempotentAnswer | undefined;
}

export function idempotencyGuard(
  database: Database,
  once: IdempotentSubmission | undefined,
): IdempotencyGuard {
  if (!once) return { before: [], condition: { sql: "", args: [] }, after: [], answer: () => undefined };
  const now = database.now();
  const sealed = database.cipher.seal(once.answer, seals.answer(rowOf(once)));
  return {
    before: [
      {
        sql: `delete from idempotency where caller = ? and key = ? and drop_t < ${nowSql}`,
        args: [once.caller, once.key, now],
      },
      {
        sql: `insert into idempotency (caller, key, body, token, answer, drop_t) values (?, ?, ?, ?, ?, ${nowSql} + ?) on conflict (caller, key) do nothing`,
        args: [once.caller, once.key, once.body, once.token, sealed, now, keptMs],
      },
    ],
    condition: {
      sql: " and exists (select 1 from idempotency where caller = ? and key = ? and token = ?)",
      args: [once.caller, once.key, once.token],
    },
    after: [selectKey(once.caller, once.key)],
    answer(results) {
      const found = answerOf(database, once, results.at(-1));
      return found?.token === once.token ? undefined : found;
    },
  };
}

/** What an earlier submission with this key was answered. */
export async function findAnswer(
  database: Database,
  caller: string,
  key: string,
): Promise<IdempotentAnswer | undefined> {
  return answerOf(database, { caller, key }, await database.read(selectKey(caller, key)));
}

function selectKey(caller: string, key: string): Statement {
  return {
    sql: "select body, token, answer from idempotency where caller = ? and key = ?",
    args: [caller, key],
  };
}

function answerOf(database: Database, of: { caller: string; key: string }, rows: Rows | undefined) {
  const [row] = named(rows);
  if (!row || !(row.answer instanceof Uint8Array)) return undefined;
  const answer = database.cipher.tryOpen(row.answer, seals.answer(rowOf(of)));
  if (answer === undefined)
    throw new ServiceError(
      "Internal",
      "The stored answer to this Idempotency-Key is damaged: use another key.",
    );
  return { body: String(row.body), token: String(row.token), answer };
}

function rowOf(of: { caller: string; key: string }): string {
  return `${of.caller}/${of.key}`;
}
