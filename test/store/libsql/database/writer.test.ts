/** The serial writer on a connection with injected faults. */
import { expect, test, vi } from "vitest";
import { silentLog } from "../../../../src/base/log.ts";
import { pause } from "../../../../src/base/time/deadline.ts";
import { createCipher } from "../../../../src/store/cipher.ts";
import type { Connection } from "../../../../src/store/libsql/database/connection.ts";
import { noReserveFile } from "../../../../src/store/libsql/database/file/reserve-file.ts";
import { createWriter } from "../../../../src/store/libsql/database/writer.ts";
import { createChain } from "../../../../src/store/sql/chain.ts";
import type { Rows } from "../../../../src/store/sql/rows.ts";
import type { Statement } from "../../../../src/store/sql/statement.ts";
import { masterKey } from "../../../support/node.ts";

function fakeLink(answer: (statements: readonly Statement[], call: number) => Promise<void> | void) {
  const batches: string[][] = [];
  const link: Connection & { batches: string[][]; reopened: number } = {
    batches,
    reopened: 0,
    async batch(statements) {
      batches.push(statements.map((statement) => statement.sql));
      await answer(statements, batches.length);
      return statements.map(({ sql }): Rows => ({ columns: ["sql"], rows: [[sql]], changes: 1 }));
    },
    turn: () => undefined,
    synced: () => undefined,
    read: async () => ({ columns: [], rows: [], changes: 0 }),
    script: async (sql) => void batches.push([sql]),
    reopen: async () => void link.reopened++,
    close() {},
  };
  return link;
}

function writerOn(connection: Connection, reserve = noReserveFile) {
  return createWriter({ connection, chain: createChain(createCipher(masterKey)), log: silentLog, reserve });
}

const only = (sql: string): Statement[] => [{ sql, args: {} }];
const fault = (code: string) => Object.assign(new Error(code), { code });

test("waiting writes are sent as one transaction, and each caller gets its own rows", async () => {
  const link = fakeLink(() => pause(5));
  const writer = writerOn(link);
  const results = await Promise.all([
    writer.write(only("a")),
    writer.write([...only("b"), ...only("c")]),
    writer.write(only("d")),
  ]);
  expect(link.batches).toEqual([["a", "b", "c", "d"]]);
  expect(results.map((rows) => rows.map((row) => row.rows[0]?.[0]))).toEqual([["a"], ["b", "c"], ["d"]]);
});

test("writes that arrive while a transaction waits for its turn join it", async () => {
  const turn = Promise.withResolvers<void>();
  const link = { ...fakeLink(() => {}), turn: () => turn.promise };
  const writer = writerOn(link);
  const first = writer.write(only("a"));
  await pause(1);
  const second = writer.write(only("b"));
  turn.resolve();
  await Promise.all([first, second]);
  expect(link.batches).toEqual([["a", "b"]]);
});

test("a failing statement fails only its own caller", async () => {
  const link = fakeLink((statements) => {
    if (statements.some((statement) => statement.sql === "bad")) throw fault("SQLITE_CONSTRAINT");
  });
  const writer = writerOn(link);
  const [good, bad, other] = await Promise.allSettled([
    writer.write(only("good")),
    writer.write(only("bad")),
    writer.write(only("other")),
  ]);
  expect([good.status, bad.status, other.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("a write to a locked database is retried on a new connection until it succeeds", async () => {
  const link = fakeLink((_, call) => {
    if (call < 4) throw fault("SQLITE_BUSY");
  });
  const writer = writerOn(link);
  expect(await writer.write(only("a"))).toHaveLength(1);
  expect(link.reopened).toBe(3);
});

test("a write that exceeds its budget fails, and says whether it may have been applied", async () => {
  const busy = writerOn(fakeLink(() => Promise.reject(fault("SQLITE_BUSY"))));
  await expect(busy.write(only("a"), { patienceMs: 50 })).rejects.toMatchObject({ kind: "Unavailable" });
  const crowded = writerOn(fakeLink(() => Promise.reject(fault("SERVER_CROWDED"))));
  await expect(crowded.write(only("a"), { patienceMs: 50 })).rejects.toMatchObject({
    message: expect.stringMatching(/streams=each.*docs\/guides\/scaling\.md/),
    detail: { fault: "crowded" },
  });
  const silent = writerOn(fakeLink(() => Promise.reject(new Error("TimeoutError"))));
  await expect(silent.write(only("a"), { patienceMs: 50 })).rejects.toMatchObject({
    kind: "Unavailable",
    detail: { ambiguous: true },
  });
  const hung = writerOn(fakeLink(() => new Promise(() => {})));
  const first = hung.write(only("a"), { patienceMs: 30 });
  await pause(5);
  const second = hung.write(only("b"), { patienceMs: 30 });
  await expect(first).rejects.toMatchObject({ detail: { ambiguous: true } });
  const refused = await second.catch((error) => error);
  expect(refused.detail).not.toHaveProperty("ambiguous");
});

test("a full disk rejects submissions, releases the reserve for the ends of jobs, and recovers", async () => {
  let full = true;
  const reserve = {
    obstacle: () => undefined,
    release: vi.fn(() => {
      full = false;
      return true;
    }),
    restore: vi.fn(() => false),
  };
  const link = fakeLink(() => {
    if (full) throw fault("SQLITE_FULL");
  });
  const writer = writerOn(link, reserve);
  const [submit, settle] = await Promise.allSettled([
    writer.write(only("submit")),
    writer.write(only("settlements"), { essential: true }),
  ]);
  expect(submit).toMatchObject({ reason: { kind: "Unavailable", message: "The storage is full." } });
  expect(settle.status).toBe("fulfilled");
  await expect(writer.write(only("submit"))).rejects.toMatchObject({ message: "The storage is full." });
  expect(writer.full()).toBe(true);
  reserve.restore.mockReturnValue(true);
  // The fake clock starts at zero.
  const later = performance.now() + 10_000;
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.advanceTimersByTime(later);
  expect(writer.full()).toBe(false);
  vi.useRealTimers();
  expect(await writer.write(only("submit"))).toHaveLength(1);
});

test("the end of a job that finds no space in time says so", async () => {
  const writer = writerOn(
    fakeLink(() => {
      throw fault("SQLITE_FULL");
    }),
  );
  const write = writer.write(only("settlements"), { essential: true, patienceMs: 100 });
  await expect(write).rejects.toMatchObject({ message: "The storage is full.", detail: { fault: "full" } });
});

test("a script runs between transactions", async () => {
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const link = fakeLink((_, call) => {
    begun.resolve();
    return call === 1 ? release.promise : undefined;
  });
  const writer = writerOn(link);
  const first = writer.write(only("a"));
  await begun.promise;
  const rest = [
    first,
    writer.write(only("b")),
    writer.runOutsideTransaction("pragma x"),
    writer.write(only("c")),
  ];
  release.resolve();
  await Promise.all(rest);
  expect(link.batches).toEqual([["a"], ["pragma x"], ["b", "c"]]);
});

test("closing waits for the current write and rejects later ones", async () => {
  const writer = writerOn(fakeLink(() => pause(10)));
  const last = writer.write(only("a"));
  await writer.close();
  expect(await last).toHaveLength(1);
  await expect(writer.write(only("b"))).rejects.toMatchObject({ kind: "Unavailable" });
});

test("ordinary writes wait for the disk, early ones do not, and the next transaction follows both", async () => {
  const disk = Promise.withResolvers<void>();
  const link = { ...fakeLink(() => {}), synced: () => disk.promise };
  const writer = writerOn(link);
  const answered: string[] = [];
  const job = writer.write(only("job")).then(() => answered.push("job"));
  const claim = writer.write(only("claim"), { early: true }).then(() => answered.push("claim"));
  await claim;
  const next = writer.write(only("next")).then(() => answered.push("next"));
  await pause(5);
  expect([answered, link.batches]).toEqual([["claim"], [["job", "claim"]]]);
  disk.resolve();
  await Promise.all([job, next]);
  expect([answered, link.batches]).toEqual([
    ["claim", "job", "next"],
    [["job", "claim"], ["next"]],
  ]);
});

test("after a failed sync only the unacknowledged writes are repeated", async () => {
  let syncs = 0;
  const failing = () => (syncs++ === 0 ? Promise.reject(fault("SQLITE_IOERR_FSYNC")) : undefined);
  const link = { ...fakeLink(() => {}), synced: failing };
  const writer = writerOn(link);
  const [early, ended] = await Promise.all([
    writer.write(only("claim"), { early: true }),
    writer.write(only("end"), { essential: true }),
  ]);
  expect([early.length, ended.length, link.batches]).toEqual([1, 1, [["claim", "end"], ["end"]]]);
});
