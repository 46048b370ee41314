/** What the parts of the store share: the serial writer, the reader, the cipher, and the clock for decisions. */
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
  /** Reads rows of the given shape. */
  select<T>(shape: RowShape<T>, statement: Statement): Promise<T[]>;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly shared: boolean;
  /** Parameter of `steadyNow`: the steady time of this node, or null for the server's clock, which all nodes share. */
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
/** Timeout of one read, including retries. */
const readMs = 2_500;
/**
 * Retries are limited: a server that lost one response may answer the next request, but one that hangs is not polled
 * forever.
 */
const readAgainMs = 1_000;

const noAnswer = () => new Error("The server did not answer in time.");

export function createDatabase({ writer, reader, cipher, clock, shared }: DatabaseOptions): Database {
  async function read(statement: Statement): Promise<Rows> {
    const started = performance.now();
    const leftMs = () => readMs - (performance.now() - started);
    for (let tries = 0; ; tries++) {
      try {
        const answer = reader.read(statement);
        // Reads of a file are synchronous: they finish before anything else runs.
        if (shared) return await within(answer, leftMs(), neverAborted, noAnswer);
        const rows = await answer;
        // Waits for the fsync, so that no caller sees data that a power failure would undo.
        await writer.synced();
        return rows;
      } catch (error) {
        const fault = faultOf(error);
        if (fault === "refused") throw error;
        const late = tries >= readTries || (shared && leftMs() < readMs - readAgainMs);
        if (fault === "broken" || fault === "displaced" || late) throw unavailable(fault, error);
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
