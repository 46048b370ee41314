/** What the parts of the store share: the serial writer, the reader, the cipher, and the clock for decisions. */

import type { Log } from "../../../base/log.ts";
import { createBoundedCache } from "../../../base/share/bounded-cache.ts";
import { neverAborted, pause, within } from "../../../base/time/deadline.ts";
import type { Cipher } from "../../cipher.ts";
import { createIds, type MakeId } from "../../id.ts";
import type { Clock } from "../../port.ts";
import type { Connection, Rows } from "./connection.ts";
import { faultOf, unavailable } from "./faults.ts";
import type { Damage } from "./rows/damage.ts";
import type { ReadRows, RowShape } from "./rows/rows.ts";
import type { Statement } from "./statement.ts";
import type { Writer } from "./writer.ts";

export interface Database {
  readonly write: Writer["write"];
  readonly onCommit: Writer["onCommit"];
  readonly onHeard: Writer["onHeard"];
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
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly makeId: MakeId;
}

/**
 * The steady time in ms, by the clock of the server, which all nodes share. A statement reads it once in each place:
 * as a subquery it can be looked up in an index.
 */
export const steadyNow = "(select (extract(epoch from clock_timestamp()) * 1000)::bigint)";

export interface DatabaseOptions {
  readonly writer: Writer;
  readonly reader: Connection;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly log: Log;
}

/** Damaged rows that were logged. */
const maxLogged = 10_000;
const readTries = 8;
/** Timeout of one read, including retries. */
const readMs = 2_500;
/**
 * Retries are limited: a server that lost one response may answer the next request, but one that hangs is not polled
 * forever.
 */
const readAgainMs = 1_000;

const noAnswer = () => new Error("The server did not answer in time.");

export function createDatabase({ writer, reader, cipher, clock, log }: DatabaseOptions): Database {
  const logged = createBoundedCache<true>(maxLogged);

  async function read(statement: Statement): Promise<Rows> {
    const started = performance.now();
    const leftMs = () => readMs - (performance.now() - started);
    for (let tries = 0; ; tries++) {
      try {
        return await within(reader.read(statement), leftMs(), neverAborted, noAnswer);
      } catch (error) {
        const fault = faultOf(error);
        if (fault === "refused") throw error;
        const late = tries >= readTries || leftMs() < readMs - readAgainMs;
        if (fault === "broken" || fault === "denied" || late) throw unavailable(fault, error);
        await pause(5 * 2 ** tries);
      }
    }
  }

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
    write: writer.write,
    onCommit: writer.onCommit,
    onHeard: writer.onHeard,
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
    cipher,
    clock,
    makeId: createIds(clock.wall),
  };
}
