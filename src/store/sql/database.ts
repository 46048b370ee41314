/** What statements are run on: the serial writer of a store, its reader, the cipher, and the clock for decisions. */
import type { Log } from "../../base/log.ts";
import { createBoundedCache } from "../../base/share/bounded-cache.ts";
import type { Cipher } from "../cipher.ts";
import type { MakeId } from "../id.ts";
import type { Clock } from "../port.ts";
import type { Damage } from "./damage.ts";
import type { ReadRows, RowShape, Rows } from "./rows.ts";
import type { Statement } from "./statement.ts";

export interface WriteOptions {
  /** Timeout of the caller; default: that of the writer. */
  readonly patienceMs?: number;
  /** Added to the timeout, for large writes. */
  readonly extraMs?: number;
  /** Also runs when the storage is full: ends of jobs, which free space. */
  readonly essential?: boolean;
  /**
   * May be lost in a crash, along with everything after it: for writes that are not reported to anyone outside. It does
   * not wait for the disk.
   */
  readonly early?: boolean;
  /** Sent a second time after they were committed, the statements answer the same. */
  readonly repeatable?: boolean;
}

/** Reads whose rows are parsed. */
export interface Reads {
  read(statement: Statement): Promise<Rows>;
  /**
   * Reads rows of the given shape, none of which must silently be missing.
   * @throws ServiceError Internal if one is damaged
   */
  select<T>(shape: RowShape<T>, statement: Statement): Promise<T[]>;
  /** Reads rows of a list, without the damaged ones. */
  list<T>(shape: RowShape<T>, statement: Statement): Promise<T[]>;
  /**
   * Reads a page of a small table: others are read in place of the damaged rows, so that fewer rows than `limit` are the
   * end. There may be more.
   * @param statement for a number of rows
   */
  page<T>(shape: RowShape<T>, limit: number, statement: (limit: number) => Statement): Promise<T[]>;
  /** The rows that a statement answered, and what is known of the damaged ones, which are logged once each. */
  readable<T>(shape: RowShape<T>, rows: Rows | undefined): ReadRows<T>;
}

export interface Database extends Reads {
  /**
   * All statements or none, with no statement of other callers in between. They must be idempotent: they are sent again
   * after a lost response.
   * @throws ServiceError Unavailable; `detail.ambiguous` if the statements may have been applied
   */
  write(statements: readonly Statement[], options?: WriteOptions): Promise<Rows[]>;
  /** Batches calls of one event loop turn; see `batcherOf`. */
  batcher<T, R>(
    write: (items: readonly T[]) => Promise<readonly R[]>,
    maxRows: number,
  ): (item: T) => Promise<R>;
  /** Splits rows, in order, into those of one statement each, of up to `most`. */
  grouped<Row>(rows: readonly Row[], most: number): Row[][];
  /**
   * @param listener is called after each transaction
   * @returns unsubscribes
   */
  onCommit(listener: () => void): () => void;
  /** The same, only for commits of other nodes, where the store tells of them; `onCommit` hears those too. */
  onHeard(listener: () => void): () => void;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly makeId: MakeId;
  /** Whether several nodes can use it at the same time. */
  readonly shared: boolean;
  /** What `steadyNow` is about now, in ms; a server's clock may differ. */
  steady(): number;
  /** Runs a script between two transactions: only of a file, which needs upkeep that servers do by themselves. */
  readonly script: ((sql: string) => Promise<void>) | undefined;
}

/** Tries of one read, and its timeout, retries included. */
export const readLimits = {
  tries: 8,
  ms: 2_500,
  /**
   * Retries are limited: a server that lost one response may answer the next request, but one that hangs is not polled
   * forever.
   */
  againMs: 1_000,
} as const;

export const noAnswer = () => new Error("The server did not answer in time.");

/** Damaged rows that were logged. */
const maxLogged = 10_000;

export function createReads(read: Reads["read"], log: Log): Reads {
  const logged = createBoundedCache<true>(maxLogged);

  function readable<T>(shape: RowShape<T>, rows: Rows | undefined): ReadRows<T> {
    const read = shape.readAll(rows);
    for (const damage of read.damaged) note(damage);
    return read;
  }

  function note({ table, key, reason }: Damage): void {
    const name = JSON.stringify([table, key, reason]);
    if (logged.has(name)) return;
    logged.set(name, true);
    log.error("store.damaged_row", { table, key, reason });
  }

  return {
    read,
    async select(shape, statement) {
      const { rows, damaged } = readable(shape, await read(statement));
      if (damaged[0] !== undefined) throw damaged[0].error();
      return rows;
    },
    list: async (shape, statement) => readable(shape, await read(statement)).rows,
    async page(shape, limit, statement) {
      for (let most = limit; ; ) {
        const { rows, damaged } = readable(shape, await read(statement(most)));
        if (damaged.length === 0 || rows.length >= limit || rows.length + damaged.length < most) return rows;
        most = limit + damaged.length;
      }
    },
    readable,
  };
}
