/** The interface of a database connection (file or server): transactions as batches, reads, reopening. */
import type { Secret } from "../../../base/secrets/secret.ts";
import type { Rows } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";

export interface Connection {
  /**
   * Resolves when the next batch may be sent; undefined: now. Statements that arrive until then should join that batch.
   */
  turn(): Promise<void> | undefined;
  /** All or nothing. The writes are readable when it resolves, and on disk when `synced` resolves. */
  batch(statements: readonly Statement[]): Promise<Rows[]>;
  /** Resolves when everything committed so far is on disk; undefined if it already is. */
  synced(): Promise<void> | undefined;
  read(statement: Statement): Promise<Rows>;
  /** Statements that run outside a transaction. */
  script(sql: string): Promise<void>;
  /** After SQLITE_BUSY a file connection reports success but commits nothing; only a new connection is safe. */
  reopen(): Promise<void>;
  close(): void;
}

/** The database to connect to. */
export interface Target {
  /** Absolute path of a file, or URL of a server. */
  readonly at: string;
  /** If its files are taken away, what was stored in them is saved: true for the owner of the directory. */
  readonly saves?: boolean | undefined;
  /** Whether several nodes can use it at the same time. */
  readonly shared: boolean;
  /** For a process that does not own the directory: takes it for an upgrade, or throws if another one does. */
  readonly upgrading?: (() => Promise<{ release(): void }>) | undefined;
  readonly token?: Secret | undefined;
  /**
   * False: each request opens and closes its own stream, for a server with few connections for all nodes. Default:
   * true.
   */
  readonly keepsStreams?: boolean | undefined;
}
