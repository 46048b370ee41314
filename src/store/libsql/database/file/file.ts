/**
 * A connection to the database file. Uses libSQL's native binding instead of its client, which prepares every statement
 * anew: for the few short statements of a job, preparing took half of the service's time.
 */
import Libsql from "libsql";
import { LRUCache } from "lru-cache";
import { yieldToEventLoop } from "../../../../base/time/yield.ts";
import type { Cell, Rows } from "../../../sql/rows.ts";
import { costOf, type Statement, type Value } from "../../../sql/statement.ts";
import type { Connection } from "../connection.ts";
import { bind } from "../statement.ts";
import { databaseFiles } from "./database-files.ts";
import { displaced, type OpenDatabase } from "./displaced.ts";
import { createLogSync } from "./log-sync.ts";
import { makeDatabaseFile } from "./new-file.ts";

/** The binding waits synchronously: a longer timeout would block the event loop. */
const busyTimeoutMs = 20;
/** Cost of one synchronous run of statements, about 10 ms; the event loop gets a turn in between. */
const stretchCost = 200;
/** Multi-row statements have a different text for each number of rows; the least recently used are evicted. */
const maxPrepared = 300;
/** SQLite's numeric value of `auto_vacuum=INCREMENTAL`. */
const incremental = 2;

interface Prepared {
  readonly statement: Libsql.Statement;
  /** Undefined if it returns no rows. */
  readonly columns: readonly string[] | undefined;
}

interface FileConnection {
  run(statement: Statement): Rows;
  inTransaction(): boolean;
  script(sql: string): void;
  close(): void;
}

/** @param saves if the files are displaced, this connection saves what was stored: that of the service */
export function openFile(path: string, saves = false): Connection {
  makeDatabaseFile(path);
  let connection = connect(path);
  const files = databaseFiles(path, saves);
  const open: OpenDatabase = {
    path,
    files,
    writeLogIntoFile: () => writeLogIntoFile(connection, "truncate"),
    script: (sql) => connection.script(sql),
  };
  let lost: Error | undefined;
  const requireInPlace = () => {
    const change = lost === undefined ? files.change() : undefined;
    if (change !== undefined) lost = displaced(open, change, saves);
    if (lost !== undefined) throw lost;
  };
  const log = createLogSync(path, () => writeLogIntoFile(connection, "restart"), undefined, requireInPlace);

  return {
    turn: () => undefined,
    async batch(statements) {
      if (lost !== undefined) throw lost;
      const inOneStretch = costOf(statements) <= 2 * stretchCost;
      // `reopen` may replace the connection meanwhile; a transaction stays on its own.
      const current = connection;
      current.run({ sql: "begin immediate", args: {} });
      try {
        const results: Rows[] = [];
        let cost = 0;
        for (const statement of statements) {
          results.push(current.run(statement));
          cost += costOf([statement]);
          // 10,000 inserts would block the event loop for 0.4 s if they ran in one go.
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
      // SQLite would create a database that is missing.
      requireInPlace();
      log.close();
      connection.close();
      connection = connect(path);
      files.renew();
    },
    close() {
      log.close();
      // Closing would write the log into whatever file is there now.
      if (lost === undefined) connection.close();
    },
  };
}

/** @throws SQLite's error if the file cannot be written, or if a reader blocks the checkpoint */
function writeLogIntoFile(connection: FileConnection, mode: "restart" | "truncate"): void {
  const { rows } = connection.run({ sql: `pragma wal_checkpoint(${mode})`, args: {} });
  if (rows[0]?.[0] !== 0) throw Object.assign(new Error("The log is in use."), { code: "SQLITE_BUSY" });
}

/** A failed statement leaves its transaction open; if even the rollback fails, the connection waits for `reopen`. */
function undo(connection: FileConnection): void {
  try {
    if (connection.inTransaction()) connection.run({ sql: "rollback", args: {} });
  } catch {
    connection.close();
  }
}

function connect(path: string): FileConnection {
  const database = new Libsql(path, { timeout: busyTimeoutMs });
  const prepared = new LRUCache<string, Prepared>({ max: maxPrepared });

  function prepare(sql: string): Prepared {
    const cached = prepared.get(sql);
    if (cached !== undefined) return cached;
    const statement = database.prepare(sql);
    const columns = statement.reader ? statement.raw(true).columns() : undefined;
    const created = { statement, columns: columns?.map(({ name }) => name) };
    prepared.set(sql, created);
    return created;
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
    // Setting it to its current value would still be a write, with two fsyncs.
    if (pragma("auto_vacuum") !== incremental) pragma("auto_vacuum=INCREMENTAL");
    const hasLog = pragma("journal_mode=WAL") === "wal";
    // `log-sync.ts` fsyncs the WAL before a caller is told that its data is stored.
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
  if (cell instanceof Uint8Array) return cell;
  throw new TypeError(`a cell must not be ${typeof cell}`);
}
