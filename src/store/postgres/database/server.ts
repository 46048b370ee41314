/**
 * Connections to a PostgreSQL server. Transactions that write come one after the other, those of other nodes too: what
 * they read stays true until they end, as on the other stores. Each leaves its number, so that a lost answer to its
 * commit is looked up.
 */
import { randomUUID } from "node:crypto";
import { pause } from "../../../base/time/deadline.ts";
import type { Address } from "./address.ts";
import { connect } from "./client.ts";
import type { BatchOptions, Cell, Connection, Rows } from "./connection.ts";
import { ambiguousCode, codeOf, faultOf } from "./faults.ts";
import { bind, type Statement } from "./statement.ts";

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
 * The lock comes last: what limits it is set by then. Without the wait for the disk, a transaction may be lost in a
 * crash, along with all that came after it.
 */
const begun = `select set_config('lock_timeout', '${lockMs}', true),
  set_config('idle_in_transaction_session_timeout', '${idleMs}', true),
  set_config('statement_timeout', '${statementMs}', true),
  set_config('patchbay.writer', :writer, true),
  set_config('synchronous_commit', case when :early then 'off' else current_setting('synchronous_commit') end, true),
  ${lockOf(writeLock)}`;
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

  function open() {
    return { writer: openWriter(), readers: openReaders() };
  }

  function openWriter(): Sql {
    const onnotice = ({ file }: { readonly file?: string }) => {
      if (file === "syncrep.c") warned = true;
    };
    const sql: Sql = connect(address, { max: 1, onnotice, onclose: () => lost(sql) });
    return sql;
  }

  function openReaders(): Sql {
    const sql: Sql = connect(address, { max: address.readers, onclose: () => lost(sql) });
    return sql;
  }

  /** The client would send on the next connection first what it had not yet sent on this one, before its greeting. */
  function lost(sql: Sql): void {
    if (closed) return;
    if (sql === sessions.writer) sessions = { ...sessions, writer: openWriter() };
    else if (sql === sessions.readers) sessions = { ...sessions, readers: openReaders() };
    else return;
    void sql.end({ timeout: 0 });
  }

  async function run(sql: Pick<Sql, "unsafe">, statement: Statement): Promise<Rows> {
    const { sql: text, values } = bind(statement);
    const found = await sql.unsafe(text, [...values], { prepare: address.prepares }).values();
    heard = performance.now();
    return { rows: rowsIn(found), changes: found.count };
  }

  /** @param onLast called with the answers before the commit is sent */
  async function transact(
    statements: readonly Statement[],
    early: boolean,
    onLast: (answers: Rows[]) => void,
  ): Promise<Rows[]> {
    heard = performance.now();
    const silence = setInterval(() => {
      // Its packets may be lost for minutes: the address belongs to another machine by now.
      if (performance.now() - heard > silenceMs) void reopen();
    }, silenceMs / 10);
    try {
      return await transacted(statements, early, onLast);
    } finally {
      clearInterval(silence);
    }
  }

  function transacted(
    statements: readonly Statement[],
    early: boolean,
    onLast: (answers: Rows[]) => void,
  ): Promise<Rows[]> {
    return sessions.writer.begin("isolation level read committed", async (sql) => {
      const begin = { sql: begun, args: { early, writer } };
      // Sent without waiting for the answers between.
      const answers = await Promise.allSettled([begin, ...statements].map((one) => run(sql, one)));
      const refused = answers.find((answer) => answer.status === "rejected");
      if (refused !== undefined) throw refused.reason;
      const rows = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
      onLast(rows.slice(1));
      return rows.slice(1);
    });
  }

  /** @throws if it was not committed, or, with `ambiguousCode`, if the connection is closed meanwhile */
  async function resolve(n: number): Promise<void> {
    for (;;) {
      try {
        warned = false;
        const args = { writer, at: Date.now() };
        const [rows] = await transact([{ sql: findNumber, args }], false, () => {});
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
    await end(former);
  }

  return {
    name: writer,
    async batch(statements, { early = false }: BatchOptions = {}) {
      const n = ++number;
      const mark = { sql: leaveNumber, args: { writer, n, at: Date.now() } };
      /** They hold if it is committed. */
      let answers: Rows[] | undefined;
      try {
        warned = false;
        const all = await transact([...statements, mark], early, (known) => {
          answers = known;
        });
        if (!warned) return all.slice(0, -1);
      } catch (error) {
        if (answers === undefined || undone.test(codeOf(error) ?? "")) throw error;
      }
      await resolve(n);
      return answers?.slice(0, -1) ?? [];
    },
    read: (statement) => run(sessions.readers, statement),
    reopen,
    async close() {
      closed = true;
      await end(sessions);
    },
  };
}

const notCommitted = "PATCHBAY_NOT_COMMITTED";
const isElsewhere = (error: unknown) => ["standby", "gone"].includes(faultOf(error));

async function end({ writer, readers }: { writer: Sql; readers: Sql }): Promise<void> {
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
