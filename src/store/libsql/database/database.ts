/** What the aspects of the store share: the serial writer, reads beside it, the cipher, and the time of decisions. */
import { neverAborted, pause, within } from "../../../base/deadline.ts";
import type { Cipher } from "../../cipher.ts";
import type { Clock } from "../../port.ts";
import type { Connection, Rows } from "./connection.ts";
import { faultOf, unavailable } from "./faults.ts";
import type { RowShape } from "./rows.ts";
import type { Statement } from "./statement.ts";
import type { Writer } from "./writer.ts";

export interface Database {
  readonly write: Writer["write"];
  readonly runOutsideTransaction: Writer["runOutsideTransaction"];
  readonly onCommit: Writer["onCommit"];
  read(statement: Statement): Promise<Rows>;
  /** Reads rows of that shape. */
  select<T>(shape: RowShape<T>, statement: Statement): Promise<T[]>;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly shared: boolean;
  /** Parameter of `steadyNow`: our steady time; null lets the server's own clock decide, which all nodes share. */
  now(): number | null;
}

/** The steady time in ms; its parameter is `now: database.now()`. */
export const steadyNow = "coalesce(:now, cast(unixepoch('subsec') * 1000 as integer))";

export interface DatabaseOptions {
  readonly writer: Writer;
  readonly reader: Connection;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly shared: boolean;
}

const readTries = 8;
/** All tries of one question together. */
const readMs = 2_500;
/** A server that lost one answer gives the next one; one that hangs is not asked again and again. */
const readAgainMs = 1_000;

const noAnswer = () => new Error("The server did not answer in time.");

export function createDatabase({ writer, reader, cipher, clock, shared }: DatabaseOptions): Database {
  async function read(statement: Statement): Promise<Rows> {
    const started = performance.now();
    const leftMs = () => readMs - (performance.now() - started);
    for (let tries = 0; ; tries++) {
      try {
        const answer = reader.read(statement);
        // A file answers before anything else runs.
        if (shared) return await within(answer, leftMs(), neverAborted, noAnswer);
        const rows = await answer;
        // Nobody is told what a loss of power would take back.
        await writer.synced();
        return rows;
      } catch (error) {
        const fault = faultOf(error);
        if (fault === "refused") throw error;
        const late = tries >= readTries || (shared && leftMs() < readMs - readAgainMs);
        if (fault === "broken" || late) throw unavailable(fault, error);
        await pause(5 * 2 ** tries);
        await reader.reopen();
      }
    }
  }

  return {
    write: writer.write,
    runOutsideTransaction: writer.runOutsideTransaction,
    onCommit: writer.onCommit,
    read,
    select: async (shape, statement) => shape.read(await read(statement)),
    cipher,
    clock,
    shared,
    now: () => (shared ? null : clock.steady()),
  };
}
