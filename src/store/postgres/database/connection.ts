/** The interface of the connections to a server: transactions as batches, reads, notices. */
import type { Rows } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";

export interface BatchOptions {
  /**
   * Whether it may be lost in a crash, along with everything after it: it does not wait for the disk and the standbys.
   */
  readonly early?: boolean;
  /**
   * Sent a second time after they were committed, the statements answer the same. Such a transaction is one message with
   * its commit; others wait for their answers first, which are not to be had again.
   */
  readonly repeatable?: boolean;
  /** Read under the lock, before the statements, which it then completes. */
  readonly lead?: Lead | undefined;
}

export interface Lead {
  readonly first: Statement;
  complete(rows: Rows): readonly Statement[];
}

export interface Connection {
  /** Of this process, unique: what it writes is known by it. */
  readonly name: string;
  /**
   * All or nothing, and none of another node in between. The writes are on disk, and on the synchronous standbys, when
   * it resolves; if it rejects, nothing was applied, unless the fault is `ambiguous`. A lost answer is resolved: it
   * does not reject before it is known.
   */
  batch(statements: readonly Statement[], options?: BatchOptions): Promise<Rows[]>;
  /** One statement that sees what was committed before. */
  read(statement: Statement): Promise<Rows>;
  /** Later statements go to new connections: the server that they were made to is not the primary any more. */
  reopen(): Promise<void>;
  /** Ends at once what waits. */
  close(): Promise<void>;
}
