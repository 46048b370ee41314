/** The database of a file or of a libSQL server, for the statements of the store. */
import type { Log } from "../../../base/log.ts";
import { neverAborted, pause, within } from "../../../base/time/deadline.ts";
import { batcherOf } from "../../batches.ts";
import type { Cipher } from "../../cipher.ts";
import { createIds } from "../../id.ts";
import type { Clock } from "../../port.ts";
import { createReads, type Database, noAnswer, readLimits } from "../../sql/database.ts";
import type { Rows } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";
import type { Connection } from "./connection.ts";
import { faultOf, unavailable } from "./faults.ts";
import type { Writer } from "./writer.ts";

export interface DatabaseOptions {
  readonly writer: Writer;
  readonly reader: Connection;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly shared: boolean;
  readonly log: Log;
}

export function createDatabase({ writer, reader, cipher, clock, shared, log }: DatabaseOptions): Database {
  /** Gives `steadyNow` and `wallNow` the time of this process, or null: then they read the clock of the server. */
  function timed(statement: Statement): Statement {
    const { sql, args } = statement;
    const times: Record<string, number | null> = {};
    if (sql.includes(":steady_now")) times.steady_now = shared ? null : clock.steady();
    if (sql.includes(":wall_now")) times.wall_now = shared ? null : clock.wall();
    return Object.keys(times).length === 0 ? statement : { ...statement, args: { ...args, ...times } };
  }

  async function read(statement: Statement): Promise<Rows> {
    const started = performance.now();
    const leftMs = () => readLimits.ms - (performance.now() - started);
    for (let tries = 0; ; tries++) {
      try {
        const answer = reader.read(timed(statement));
        // Reads of a file are synchronous: they finish before anything else runs.
        if (shared) return await within(answer, leftMs(), neverAborted, noAnswer);
        const rows = await answer;
        // Waits for the fsync, so that no caller sees data that a power failure would undo.
        await writer.synced();
        return rows;
      } catch (error) {
        const fault = faultOf(error);
        if (fault === "refused") throw error;
        const late = tries >= readLimits.tries || (shared && leftMs() < readLimits.ms - readLimits.againMs);
        if (fault === "broken" || fault === "displaced" || late) throw unavailable(fault, error);
        await pause(5 * 2 ** tries);
        await reader.reopen();
      }
    }
  }

  return {
    ...createReads(read, log),
    write: (statements, options) => writer.write(statements.map(timed), options),
    batcher: (write, maxRows) => batcherOf(write, maxRows, isRefusal, inGroups),
    grouped: inGroups,
    onCommit: writer.onCommit,
    onHeard: () => () => {},
    cipher,
    clock,
    makeId: createIds(clock.wall),
    shared,
    steady: () => (shared ? clock.wall() : clock.steady()),
    script: shared ? undefined : writer.runOutsideTransaction,
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(?!BUSY|FULL)/.test(String(error.code));
}

/**
 * A multi-row statement has a different text for each number of rows, and each text is prepared and cached separately;
 * one for 50 new jobs takes half a MB outside the heap. With arbitrary sizes, a service would keep preparing new
 * statements, and growing, for hours.
 */
const sizes = [32, 24, 16, 12, 8, 6, 4, 3, 2, 1];

/** Splits rows into groups of a few fixed sizes. Keeps the order; no group is larger than `most`. */
export function inGroups<T>(rows: readonly T[], maxSize: number): T[][] {
  const groups: T[][] = [];
  for (let start = 0; start < rows.length; ) {
    const remaining = rows.length - start;
    const size =
      remaining >= maxSize ? maxSize : (sizes.find((candidate) => candidate <= remaining) ?? remaining);
    groups.push(rows.slice(start, start + size));
    start += size;
  }
  return groups;
}
