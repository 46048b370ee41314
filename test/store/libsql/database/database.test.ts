/** Reads of a store shared by several nodes: the timeout applies to each call, whatever else is in progress. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { silentLog } from "../../../../src/base/log.ts";
import { createCipher } from "../../../../src/store/cipher.ts";
import { createClock, machineClock } from "../../../../src/store/clock.ts";
import type { Connection } from "../../../../src/store/libsql/database/connection.ts";
import { createDatabase } from "../../../../src/store/libsql/database/database.ts";
import { noReserveFile } from "../../../../src/store/libsql/database/file/reserve-file.ts";
import { createWriter } from "../../../../src/store/libsql/database/writer.ts";
import { createChain } from "../../../../src/store/sql/chain.ts";
import { masterKey } from "../../../support/node.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rows = { columns: [], rows: [], changes: 0 };

/** A shared server with a scripted `read`. */
function shared(read: Connection["read"]) {
  return databaseOn({ read }, true);
}

function databaseOn(given: Partial<Connection>, isShared: boolean) {
  const link: Connection = {
    batch: async (statements) => statements.map(() => rows),
    turn: () => undefined,
    synced: () => undefined,
    read: async () => rows,
    script: async () => {},
    reopen: async () => {},
    close() {},
    ...given,
  };
  const writer = createWriter({
    connection: link,
    chain: createChain(createCipher(masterKey)),
    log: silentLog,
    reserve: noReserveFile,
  });
  const clock = createClock(machineClock, 0);
  return createDatabase({
    writer,
    reader: link,
    cipher: createCipher(masterKey, []),
    clock,
    shared: isShared,
    log: silentLog,
  });
}

const unavailable = { kind: "Unavailable", detail: { retryAfter: expect.any(Number) } };

test("a read that the server never answers fails as Unavailable", async () => {
  const database = shared(() => new Promise(() => {}));
  const read = expect(database.read({ sql: "select 1", args: {} })).rejects.toMatchObject(unavailable);
  await vi.advanceTimersByTimeAsync(2_600);
  await read;
});

test("a read fails as Unavailable if the server refuses connections and then hangs", async () => {
  let calls = 0;
  const database = shared(() => (++calls < 6 ? Promise.reject(new Error("refused")) : new Promise(() => {})));
  const read = expect(database.read({ sql: "select 1", args: {} })).rejects.toMatchObject(unavailable);
  await vi.advanceTimersByTimeAsync(2_600);
  await read;
  expect(calls).toBe(6);
});

test("a read whose response is lost is repeated", async () => {
  let calls = 0;
  const database = shared(async () => {
    if (++calls === 1) throw new DOMException("The operation timed out.", "TimeoutError");
    return rows;
  });
  const read = database.read({ sql: "select 1", args: {} });
  await vi.advanceTimersByTimeAsync(100);
  expect(await read).toBe(rows);
});

test("a read does not return data that is not yet on disk", async () => {
  const disk = Promise.withResolvers<void>();
  const database = databaseOn({ synced: () => disk.promise }, false);
  let isAnswered = false;
  const read = database.read({ sql: "select 1", args: {} }).then(() => {
    isAnswered = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isAnswered).toBe(false);
  disk.resolve();
  await read;
  expect(isAnswered).toBe(true);
});
