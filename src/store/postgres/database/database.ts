/** The database of a PostgreSQL server, for the statements of the store. */
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
import type { Watch } from "./watch.ts";
import type { Writer } from "./writer.ts";

export interface DatabaseOptions {
  readonly writer: Writer;
  /** Undefined: other nodes are not heard. */
  readonly watch: Watch | undefined;
  readonly reader: Connection;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly log: Log;
}

export function createDatabase({ writer, watch, reader, cipher, clock, log }: DatabaseOptions): Database {
  async function read(statement: Statement): Promise<Rows> {
    const started = performance.now();
    const leftMs = () => readLimits.ms - (performance.now() - started);
    for (let tries = 0; ; tries++) {
      try {
        return await within(reader.read(statement), leftMs(), neverAborted, noAnswer);
      } catch (error) {
        const fault = faultOf(error);
        if (fault === "refused") throw error;
        const late = tries >= readLimits.tries || leftMs() < readLimits.ms - readLimits.againMs;
        if (fault === "broken" || fault === "denied" || late) throw unavailable(fault, error);
        await pause(5 * 2 ** tries);
      }
    }
  }

  return {
    ...createReads(read, log),
    write: writer.write,
    batcher: (write, maxRows) =>
      batcherOf(write, maxRows, (error) => ["refused", "stale"].includes(faultOf(error)), inParts),
    grouped: inParts,
    onCommit(listener) {
      const stops = [writer.onCommit(listener), watch?.onNews(listener)];
      return () => {
        for (const stop of stops) stop?.();
      };
    },
    onHeard: (listener) => watch?.onNews(listener) ?? (() => {}),
    cipher,
    clock,
    makeId: createIds(clock.wall),
    shared: true,
    steady: clock.wall,
    script: undefined,
  };
}

/** Splits rows into groups of up to `most`, in order: the text of a statement is the same for any number. */
function inParts<T>(rows: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(rows.length / most) }, (_, at) =>
    rows.slice(at * most, (at + 1) * most),
  );
}
