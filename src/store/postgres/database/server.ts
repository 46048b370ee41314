/**
 * Connections to a PostgreSQL server. Transactions that write come one after the other, those of other nodes too: what
 * they read stays true until they end, as on the other stores. Each leaves its number, so that a lost answer to its
 * commit is looked up.
 */
import { randomUUID } from "node:crypto";
import { pause } from "../../../base/time/deadline.ts";
import type { Cell, Rows } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";
import type { Address } from "./address.ts";
import { type connect, connectOnce, connectUntilLost } from "./client.ts";
import type { BatchOptions, Connection } from "./connection.ts";
import { ambiguousCode, codeOf, faultOf, isAnswer } from "./faults.ts";
import { type BoundStatement, bind } from "./statement.ts";

type Sql = ReturnType<typeof connect>;

/** Of a transaction that waits for that of another node. */
const lockMs = 2_000;
/** Then the server ends the transaction of a node that was suspended in it, since all others wait for it. */
const idleMs = 5_000;
const statementMs = 10_000;
/** In which the server answers some statement. */
const silenceMs = 12_000;

/** The first number of the locks that transactions hold; the second is of the schema. */
const writeLock = 741_001;
export const upgradeLock = 741_002;
export const lockOf = (first: number) => `pg_advisory_xact_lock(${first}, hashtext(current_schema()))`;

/**
 * Statements are planned once, perhaps for tables that are still empty: no plan may read one as a whole. A plan that
 * must is given a high cost, for which the server would compile it.
 */
const avoided = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"];

/**
 * The lock comes last: what limits it is set by then. Without the wait for the disk, a transaction may be lost in a
 * crash, along with all that came after it.
 */
const begun = `select set_config('lock_timeout', '${lockMs}', true),
  set_config('idle_in_transaction_session_timeout', '${idleMs}', true),
  set_config('statement_timeout', '${statementMs}', true),
  set_config('patchbay.writer', :writer, true),
  ${avoided.map((name) => `set_config('${name}', 'off', true)`).join(", ")},
  set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('synchronous_commit', case when :early then 'off' else current_setting('synchronous_commit') end, true),
  ${lockOf(writeLock)}`;
const begin: Statement = { sql: "begin isolation level read committed", args: {} };
/** A commit has no time limit: it would be reported as done before the standbys have it. */
const unlimited = "set_config('statement_timeout', '0', true)";
const leaveNumber = `insert into writers (writer, n, at) values (:writer, :n, :at)
on conflict (writer) do update set n = excluded.n, at = excluded.at returning ${unlimited}`;
/** It writes, so that it is itself committed on the standbys, with everything before it. */
const findNumber = `update writers set at = :at where writer = :writer returning n, ${unlimited}`;

/** Whose commit was answered by an error: it was undone. */
const undone = /^(23|40)...$/;
const againMs = 500;

export function openServer(address: Address): Connection {
  const writer = randomUUID();
  let number = 0;
  let closed = false;
  /** A commit was reported before the standbys had it. */
  let warned = false;
  let sessions = open();
  /** When an answer was last heard. */
  let heard = 0;
  /** That have answered; the first statement of a client is sent alone. */
  const reached = new WeakSet<Sql>();

  function open() {
    return { writer: openWriter(), readers: openReaders() };
  }

  function openWriter(): Sql {
    const onnotice = ({ file }: { readonly file?: string }) => {
      if (file === "syncrep.c") warned = true;
    };
    const sql: Sql = connectOnce(address, { onnotice, onclose: () => lost(sql) });
    return sql;
  }

  function openReaders(): Sql {
    const sql: Sql = connectUntilLost(address, { max: address.readers, onclose: () => lost(sql) });
    return sql;
  }

  function lost(sql: Sql): void {
    if (closed) return;
    if (sql === sessions.writer) sessions = { ...sessions, writer: openWriter() };
    else if (sql === sessions.readers) sessions = { ...sessions, readers: openReaders() };
    else return;
    void sql.end({ timeout: 0 });
  }

  /** Calls are sent in their order, without waiting for the answers between. */
  async function run(sql: Sql, { sql: text, values }: BoundStatement): Promise<Rows> {
    const found = await sql
      .unsafe(text, [...values], { prepare: address.prepares })
      .values()
      .execute();
    heard = performance.now();
    reached.add(sql);
    return { rows: rowsIn(found), changes: found.count };
  }

  /** `commit` or `rollback`. @returns whether it was committed */
  async function end(sql: Sql, how: string): Promise<boolean> {
    const { command } = await sql.unsafe(how).execute();
    heard = performance.now();
    return command === "COMMIT";
  }

  /**
   * @returns the answers to the statements
   * @throws LostAnswer if it may have been committed
   */
  async function transact(statements: readonly Statement[], options: Transaction): Promise<Rows[]> {
    heard = performance.now();
    const silence = setInterval(() => {
      // Its packets may be lost for minutes: the address belongs to another machine by now.
      if (performance.now() - heard > silenceMs) void reopen();
    }, silenceMs / 10);
    try {
      return await transacted(statements, options);
    } finally {
      clearInterval(silence);
    }
  }

  async function transacted(
    statements: readonly Statement[],
    { early, repeatable, lead, mark }: Transaction,
  ): Promise<Rows[]> {
    const sql = sessions.writer;
    const opening = [begin, { sql: begun, args: { early, writer } }].map(bind);
    let opened = 0;
    let complete = statements;
    try {
      if (lead !== undefined) {
        const led = [...opening.splice(0), bind(lead.first)].map((one) => run(sql, one));
        opened = led.length;
        complete = lead.complete((await answersOf(led)).at(-1) ?? nothing);
      }
      // All of them, before one is sent: the commit would follow without one that cannot be.
      opening.push(...[...complete, ...mark].map(bind));
    } catch (error) {
      if (opened > 0) return undo(sql, error);
      throw error;
    }
    const sent = opening.map((one) => run(sql, one));
    const before = sent.length - complete.length - mark.length;
    // What is sent behind a statement that is refused is refused too, and the commit undoes it all.
    const committed = repeatable ? settled(end(sql, "commit")) : undefined;
    let answers: Rows[];
    try {
      answers = (await answersOf(sent)).slice(before, before + complete.length);
    } catch (error) {
      if (committed === undefined) return undo(sql, error);
      await committed;
      // Without an answer of the server it may have gone on, unless it was never reached.
      throw isAnswer(error) || !reached.has(sql) ? error : new LostAnswer(undefined, error);
    }
    const ended = await (committed ?? settled(end(sql, "commit")));
    if (ended.status === "rejected") {
      if (undone.test(codeOf(ended.reason) ?? "")) throw ended.reason;
      throw new LostAnswer(answers, ended.reason);
    }
    if (!ended.value) throw new Error("the transaction was undone");
    return answers;
  }

  /** The answer to `rollback` is not needed: if the connection is lost, it is undone too. */
  async function undo(sql: Sql, error: unknown): Promise<never> {
    await settled(end(sql, "rollback"));
    throw error;
  }

  /** @throws if it was not committed, or, with `ambiguousCode`, if the connection is closed meanwhile */
  async function resolve(n: number): Promise<void> {
    for (;;) {
      try {
        warned = false;
        const args = { writer, at: Date.now() };
        const [rows] = await transact([{ sql: findNumber, args }], plain);
        if (warned) continue;
        if (rows?.rows[0]?.[0] === n) return;
        throw Object.assign(new Error("the transaction was not committed"), { code: notCommitted });
      } catch (error) {
        if (codeOf(error) === notCommitted) throw error;
        if (closed)
          throw Object.assign(new Error("the connection was closed", { cause: error }), {
            code: ambiguousCode,
          });
        if (isElsewhere(error)) await reopen();
        await pause(againMs * (0.1 + Math.random()));
      }
    }
  }

  async function reopen(): Promise<void> {
    if (closed) return;
    const former = sessions;
    sessions = open();
    await close(former);
  }

  async function batch(
    statements: readonly Statement[],
    { early = false, repeatable = false, lead }: BatchOptions = {},
  ): Promise<Rows[]> {
    const n = ++number;
    const mark = [{ sql: leaveNumber, args: { writer, n, at: Date.now() } }];
    let answers: Rows[] | undefined;
    try {
      warned = false;
      answers = await transact(statements, { early, repeatable, lead, mark });
      if (!warned) return answers;
    } catch (error) {
      if (!(error instanceof LostAnswer)) throw error;
      answers = error.answers;
    }
    await resolve(n);
    // It was committed, but what it answered is lost.
    return answers ?? batch(statements, { early, repeatable, lead });
  }

  return {
    name: writer,
    batch,
    read: async (statement) => run(sessions.readers, bind(statement)),
    reopen,
    async close() {
      closed = true;
      await close(sessions);
    },
  };
}

interface Transaction extends Required<Pick<BatchOptions, "early" | "repeatable">> {
  readonly lead?: BatchOptions["lead"];
  /** The last of its statements, which is not answered to the caller. */
  readonly mark: readonly Statement[];
}

/** One that can be sent again if its answer is lost. */
const plain: Transaction = { early: false, repeatable: true, mark: [] };
const nothing: Rows = { rows: [], changes: 0 };

/** It may have been committed. */
class LostAnswer extends Error {
  /** They hold if it was; undefined if they are lost too. */
  readonly answers: Rows[] | undefined;
  constructor(answers: Rows[] | undefined, cause: unknown) {
    super("the answer to a commit was lost", { cause });
    this.answers = answers;
  }
}

const settled = async <T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> => {
  const [result] = await Promise.allSettled([promise]);
  return result;
};

/** @throws the error of the first that was refused, once all are answered */
async function answersOf(sent: readonly Promise<Rows>[]): Promise<Rows[]> {
  const answers = await Promise.allSettled(sent);
  const refused = answers.find((answer) => answer.status === "rejected");
  if (refused !== undefined) throw refused.reason;
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
}

const notCommitted = "PATCHBAY_NOT_COMMITTED";
const isElsewhere = (error: unknown) => ["standby", "gone"].includes(faultOf(error));

async function close({ writer, readers }: { writer: Sql; readers: Sql }): Promise<void> {
  await Promise.all([writer.end({ timeout: 0 }), readers.end({ timeout: 0 })]);
}

function rowsIn(found: Iterable<unknown>): Cell[][] {
  const rows: Cell[][] = [];
  for (const row of found) {
    const cells: Cell[] = [];
    if (Array.isArray(row)) for (const cell of row) cells.push(cellOf(cell));
    rows.push(cells);
  }
  return rows;
}

function cellOf(cell: unknown): Cell {
  if (cell === null || typeof cell === "string" || typeof cell === "number" || typeof cell === "boolean")
    return cell;
  return cell instanceof Uint8Array ? cell : null;
}
