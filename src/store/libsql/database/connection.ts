/** One connection to a database, whatever it is: batches that are transactions, reads, reopening. */
import type { Secret } from "../../../base/secret.ts";
import type { Statement } from "./statement.ts";

export type Cell = string | number | bigint | boolean | null | Uint8Array;

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows that were inserted, updated or deleted. */
  readonly changes: number;
}

export interface Connection {
  /** Resolves when the next batch may be sent; undefined: now. What comes until then is better joined to it. */
  turn(): Promise<void> | undefined;
  /** All or nothing. What it has written can be read when it resolves, and is on disk when `synced` resolves. */
  batch(statements: readonly Statement[]): Promise<Rows[]>;
  /** Resolves when all that was committed so far is on disk; undefined: it is. */
  synced(): Promise<void> | undefined;
  read(statement: Statement): Promise<Rows>;
  /** Statements that stand outside of any transaction. */
  script(sql: string): Promise<void>;
  /** After SQLITE_BUSY a file connection reports success and commits nothing: only a new one is safe. */
  reopen(): Promise<void>;
  close(): void;
}

/** What is connected to. */
export interface Target {
  /** Absolute path of a file, or URL of a server. */
  readonly at: string;
  /** Several nodes may use it at the same time. */
  readonly shared: boolean;
  readonly token?: Secret | undefined;
  /** False: a server with few connections for all nodes; each request opens a stream, and closes it. Default: true. */
  readonly keepsStreams?: boolean | undefined;
}
