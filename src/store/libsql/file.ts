/**
 * A connection to the database file. On libSQL's own binding and not on its client, which prepares every statement
 * anew: for the few and short ones of a job, preparing was half of all the time the service took.
 */
import { closeSync, openSync } from "node:fs";
import Libsql from "libsql";
import { LRUCache } from "lru-cache";
import { yieldToEventLoop } from "../../base/yield.ts";
import type { Cell, Connection, Rows, Statement } from "./connect.ts";
import { costOf } from "./statement-cost.ts";

/** Longer waits would stop the event loop: the binding waits synchronously. */
const busyTimeoutMs = 20;
/** Weight of one synchronous stretch, about 10 ms; others get a turn of the event loop in between. */
const stretch = 200;
/** Statements of many rows have a text for each number of rows; those that were not used lately are forgotten. */
const mostPrepared = 300;

interface Prepared {
  readonly statement: Libsql.Statement;
  /** Undefined: it gives no rows. */
  readonly columns: readonly string[] | undefined;
}

interface FileConnection {
  run(statement: Statement): Rows;
  inTransaction(): boolean;
  script(sql: string): void;
  close(): void;
}

export function openFile(path: string): Connection {
  makePrivate(path);
  let connection = connect(path);

  return {
    async batch(statements) {
      const whole = costOf(statements) <= 2 * stretch;
      const own = connection;
      own.run({ sql: "begin immediate", args: [] });
      try {
        const results: Rows[] = [];
        let weight = 0;
        for (const one of statements) {
          results.push(own.run(one));
          weight += costOf([one]);
          // 10,000 inserts hold the loop for 0.4 s when they are one stretch.
          if (whole || weight < stretch) continue;
          weight = 0;
          await yieldToEventLoop();
        }
        own.run({ sql: "commit", args: [] });
        return results;
      } catch (error) {
        undo(own);
        throw error;
      }
    },
    async read(statement) {
      return connection.run(statement);
    },
    async script(sql) {
      connection.script(sql);
    },
    async reopen() {
      connection.close();
      connection = connect(path);
    },
    close: () => connection.close(),
  };
}

/** A statement that fails leaves its transaction open; a connection that can't even undo it waits for a reopening. */
function undo(connection: FileConnection): void {
  try {
    if (connection.inTransaction()) connection.run({ sql: "rollback", args: [] });
  } catch {
    connection.close();
  }
}

function connect(path: string): FileConnection {
  const database = new Libsql(path, { timeout: busyTimeoutMs });
  const prepared = new LRUCache<string, Prepared>({ max: mostPrepared });

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const columns = statement.reader ? statement.raw(true).columns() : undefined;
    const one = { statement, columns: columns?.map(({ name }) => name) };
    prepared.set(sql, one);
    return one;
  }

  const connection: FileConnection = {
    run({ sql, args }) {
      if (!database.open)
        throw Object.assign(new Error("The connection was closed."), { code: "CLIENT_CLOSED" });
      const { statement, columns } = prepare(sql);
      if (columns === undefined) {
        return { columns: [], rows: [], changes: statement.run(args.map(given)).changes };
      }
      return { columns, rows: statement.all(args.map(given)).map(cellsOf), changes: 0 };
    },
    inTransaction: () => database.open && database.inTransaction,
    script: (sql) => void database.exec(sql),
    close() {
      prepared.clear();
      if (database.open) database.close();
    },
  };
  try {
    for (const pragma of [
      "auto_vacuum=INCREMENTAL",
      "journal_mode=WAL",
      "synchronous=FULL",
      "journal_size_limit=67108864",
    ])
      connection.run({ sql: `pragma ${pragma}`, args: [] });
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function given(value: Statement["args"][number]): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date) return value.valueOf();
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("a number must be finite");
  return value;
}

/** In raw mode a row is an array. */
function cellsOf(row: unknown): Cell[] {
  if (!Array.isArray(row)) throw new TypeError("a row must be an array");
  return row.map(taken);
}

function taken(cell: unknown): Cell {
  if (cell === null || typeof cell === "string" || typeof cell === "number") return cell;
  // Callers know bytes as plain ones.
  if (cell instanceof Uint8Array) return new Uint8Array(cell.buffer, cell.byteOffset, cell.byteLength);
  throw new TypeError(`a cell must not be ${typeof cell}`);
}

/**
 * Made before SQLite would, so that nobody else on the machine can read it. An existing file is never opened here:
 * closing any descriptor of it drops the locks this process holds, and another process then damages the database.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "EEXIST") throw error;
  }
}
