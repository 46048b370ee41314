/**
 * A connection to the database file. On libSQL's own binding and not on its client, which prepares every statement
 * anew: for the few and short ones of a job, preparing was half of all the time the service took.
 */
import Libsql from "libsql";
import { LRUCache } from "lru-cache";
import { yieldToEventLoop } from "../../../base/yield.ts";
import type { Cell, Connection, Rows } from "./connection.ts";
import { createLogSync } from "./log-sync.ts";
import { makeDatabaseFile } from "./new-file.ts";
import { bind, costOf, type Statement, type Value } from "./statement.ts";

/** Longer waits would stop the event loop: the binding waits synchronously. */
const busyTimeoutMs = 20;
/** Cost of one synchronous stretch, about 10 ms; others get a turn of the event loop in between. */
const stretchCost = 200;
/** Statements of many rows have a text for each number of rows; those that were not used lately are forgotten. */
const mostPrepared = 300;
/** As SQLite numbers the ways of `auto_vacuum`. */
const incremental = 2;

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
  makeDatabaseFile(path);
  let connection = connect(path);
  const log = createLogSync(path, () => writeLogIntoFile(connection));

  return {
    turn: () => undefined,
    async batch(statements) {
      const inOneStretch = costOf(statements) <= 2 * stretchCost;
      // Another one may be opened meanwhile: a transaction stays on its own.
      const current = connection;
      current.run({ sql: "begin immediate", args: {} });
      try {
        const results: Rows[] = [];
        let cost = 0;
        for (const statement of statements) {
          results.push(current.run(statement));
          cost += costOf([statement]);
          // 10,000 inserts hold the loop for 0.4 s when they are one stretch.
          if (inOneStretch || cost < stretchCost) continue;
          cost = 0;
          await yieldToEventLoop();
        }
        current.run({ sql: "commit", args: {} });
        log.start();
        return results;
      } catch (error) {
        undo(current);
        throw error;
      }
    },
    synced: log.synced,
    async read(statement) {
      return connection.run(statement);
    },
    async script(sql) {
      connection.script(sql);
    },
    async reopen() {
      log.close();
      connection.close();
      connection = connect(path);
    },
    close() {
      log.close();
      connection.close();
    },
  };
}

/** @throws an error of SQLite where the file does not take it, or where a reader keeps the log from being written. */
function writeLogIntoFile(connection: FileConnection): void {
  const { rows } = connection.run({ sql: "pragma wal_checkpoint(restart)", args: {} });
  if (rows[0]?.[0] !== 0) throw Object.assign(new Error("The log is in use."), { code: "SQLITE_BUSY" });
}

/** A statement that fails leaves its transaction open; a connection that can't even undo it waits for a reopening. */
function undo(connection: FileConnection): void {
  try {
    if (connection.inTransaction()) connection.run({ sql: "rollback", args: {} });
  } catch {
    connection.close();
  }
}

function connect(path: string): FileConnection {
  const database = new Libsql(path, { timeout: busyTimeoutMs });
  const prepared = new LRUCache<string, Prepared>({ max: mostPrepared });

  function prepare(sql: string): Prepared {
    const found = prepared.get(sql);
    if (found !== undefined) return found;
    const statement = database.prepare(sql);
    const columns = statement.reader ? statement.raw(true).columns() : undefined;
    const kept = { statement, columns: columns?.map(({ name }) => name) };
    prepared.set(sql, kept);
    return kept;
  }

  const connection: FileConnection = {
    run(bare) {
      if (!database.open)
        throw Object.assign(new Error("The connection was closed."), { code: "CLIENT_CLOSED" });
      const { sql, values } = bind(bare);
      const { statement, columns } = prepare(sql);
      if (columns === undefined) {
        return { columns: [], rows: [], changes: statement.run(values.map(asParameter)).changes };
      }
      return { columns, rows: statement.all(values.map(asParameter)).map(asCells), changes: 0 };
    },
    inTransaction: () => database.open && database.inTransaction,
    script: (sql) => void database.exec(sql),
    close() {
      prepared.clear();
      if (database.open) database.close();
    },
  };
  try {
    const pragma = (text: string) => connection.run({ sql: `pragma ${text}`, args: {} }).rows[0]?.[0];
    // To set what is set would be a write, with two waits for the disk.
    if (pragma("auto_vacuum") !== incremental) pragma("auto_vacuum=INCREMENTAL");
    const hasLog = pragma("journal_mode=WAL") === "wal";
    // The log is brought to the disk by `log-sync.ts`, before anybody is told that something is stored.
    pragma(`synchronous=${hasLog ? "NORMAL" : "FULL"}`);
    pragma("journal_size_limit=67108864");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function asParameter(value: Value): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("a number must be finite");
  return value;
}

/** In raw mode a row is an array. */
function asCells(row: unknown): Cell[] {
  if (!Array.isArray(row)) throw new TypeError("a row must be an array");
  return row.map(asCell);
}

function asCell(cell: unknown): Cell {
  if (cell === null || typeof cell === "string" || typeof cell === "number") return cell;
  // Callers know bytes as plain ones.
  if (cell instanceof Uint8Array) return new Uint8Array(cell.buffer, cell.byteOffset, cell.byteLength);
  throw new TypeError(`a cell must not be ${typeof cell}`);
}
