/** Event streams: each change once and in order, from where a listener left off, and only what its key may see. */
import { expect, test } from "vitest";
import { admin } from "../support/requests.ts";
import { createWorld, listening, reader, running } from "./fixture.ts";

const limited = { ...admin, keyId: "k9", hosts: ["10.0.0.0/8"] };

test("a stream sends all changes in order, starting from now", async () => {
  const { streams, write } = createWorld();
  write({ jobId: "old", status: "queued" });
  const { seen, until } = reader(streams.ofAll({}, listening()));
  const first = until("3 a running");
  write({ jobId: "a", status: "queued" });
  write(running("a"));
  await first;
  expect(seen).toEqual(["2 a queued", "3 a running"]);
});

test("a resumed stream sends each missed change once, even from another node", async () => {
  const { streams, write } = createWorld();
  const [, second] = write({ jobId: "a", status: "queued" }, running("a"), {
    jobId: "a",
    status: "finished",
  });
  if (second === undefined) throw new Error("nothing was written");
  const here = listening({ from: { log: { n: 2, jobId: "a" } } });
  const { seen, until } = reader(streams.ofAll({}, here));
  await until("3 a finished");
  write({ jobId: "b", status: "queued" });
  await until("4 b queued");
  expect(seen).toEqual(["3 a finished", "4 b queued"]);
});

test("thousands of missed changes are sent to all resumed streams with shared reads", async () => {
  const { streams, write, reads } = createWorld();
  const count = 2_750;
  write(...Array.from({ length: count }, (_, at) => ({ jobId: `j${at + 1}`, status: "queued" as const })));
  const comeBack = async () => {
    const here = listening({ from: { log: { n: 3, jobId: "j3" } } });
    const { until } = reader(streams.ofAll({}, here));
    return until(`${count} j${count} queued`);
  };
  const all = await Promise.all(Array.from({ length: 20 }, comeBack));
  const expected = Array.from({ length: count - 3 }, (_, at) => `${at + 4} j${at + 4} queued`);
  for (const seen of all) expect(seen).toEqual(expected);
  // Pages of 500, and the check at the end.
  expect(reads.length).toBeLessThan(20);
});

test.each([
  ["is no longer kept", (world: ReturnType<typeof createWorld>) => world.trimTo(5)],
  [
    "is of a database that was replaced",
    (world: ReturnType<typeof createWorld>) => {
      world.replace();
      world.write(...["x", "y", "z"].map((jobId) => ({ jobId, status: "queued" as const })));
    },
  ],
  ["never existed", (world: ReturnType<typeof createWorld>) => world.replace()],
])("a resume position that %s causes a reset, and the stream continues", async (_name, change) => {
  const world = createWorld();
  world.write(...["a", "b", "c", "d", "e"].map((jobId) => ({ jobId, status: "queued" as const })));
  change(world);
  const { seen, until } = reader(world.streams.ofAll({}, listening({ from: { log: { n: 2, jobId: "b" } } })));
  await until("reset");
  world.write(running("new"));
  await until(`${world.position().n} new running`);
  expect(seen).toEqual(["reset", `${world.position().n} new running`]);
});

test("a stream is filtered by bulk, host in any spelling, and status", async () => {
  const { streams, write } = createWorld();
  const from = { log: { n: 0, jobId: "" } };
  write(
    { jobId: "a", status: "queued", bulkId: "b1", host: "::ffff:10.0.0.1" },
    { jobId: "b", status: "queued", bulkId: "b2", host: "r2" },
    { jobId: "c", status: "failed", bulkId: "b1", host: "r2" },
    { jobId: "end", status: "queued", bulkId: "b1", host: "10.0.0.1" },
    { jobId: "end", status: "failed", bulkId: "b1", host: "10.0.0.1" },
  );
  const of = async (filter: Parameters<typeof streams.ofAll>[0], last: string) =>
    reader(streams.ofAll(filter, listening({ from }))).until(last);
  expect(await of({ bulkId: "b1" }, "5 end failed")).toHaveLength(4);
  expect(await of({ host: "10.0.0.1" }, "5 end failed")).toEqual([
    "1 a queued",
    "4 end queued",
    "5 end failed",
  ]);
  expect(await of({ statuses: ["failed"] }, "5 end failed")).toEqual(["3 c failed", "5 end failed"]);
});

test("a limited key sees changes of its hosts and of its own jobs", async () => {
  const { streams, write } = createWorld();
  write(
    { jobId: "a", status: "queued", host: "192.0.2.1" },
    { jobId: "b", status: "queued", host: "10.1.1.1" },
    { jobId: "c", status: "queued", host: "r3", caller: "k9" },
  );
  const here = listening({ caller: limited, from: { log: { n: 0, jobId: "" } } });
  expect(await reader(streams.ofAll({}, here)).until("3 c queued")).toEqual(["2 b queued", "3 c queued"]);
});

test("nothing is read without listeners, and one reader serves all", async () => {
  const { streams, write, reads, readers } = createWorld();
  const readersOf = Array.from({ length: 50 }, () => {
    const here = listening();
    return { here, ...reader(streams.ofAll({}, here)) };
  });
  const done = Promise.all(readersOf.map(({ until }) => until("1 a queued")));
  await expect.poll(readers).toBe(1);
  write({ jobId: "a", status: "queued" });
  await done;
  expect(reads.length).toBeLessThan(5);
  for (const { here, rest } of readersOf) {
    const ended = rest();
    here.leave();
    await ended;
  }
  expect(readers()).toBe(0);
});

test("a listener that falls too far behind is disconnected, and resumes without loss", async () => {
  const { streams, write, position } = createWorld();
  const slow = streams.ofAll({}, listening());
  const quick = reader(streams.ofAll({}, listening()));
  // Both have started; one of them stops reading.
  await slow.next();
  const many = (at: number) =>
    Array.from({ length: 5_000 }, (_, index) => ({ jobId: `j${at}-${index}`, status: "queued" as const }));
  for (let at = 0; at < 6; at++) {
    const reached = quick.until(`${(at + 1) * 5_000} j${at}-4999 queued`);
    await Promise.resolve();
    write(...many(at));
    await reached;
  }
  const changes: string[] = [];
  for await (const event of slow) changes.push(event.kind);
  expect(changes).toEqual(["slow"]);
  const back = reader(streams.ofAll({}, listening({ from: { log: { n: 0, jobId: "" } } })));
  expect(await back.until(`${position().n} j5-4999 queued`)).toHaveLength(30_000);
});

test("an unavailable store does not lose changes", async () => {
  const { streams, write, away } = createWorld();
  const here = reader(streams.ofAll({}, listening()));
  const all = here.until("3 c queued");
  write({ jobId: "a", status: "queued" });
  away(true);
  write({ jobId: "b", status: "queued" });
  away(false);
  write({ jobId: "c", status: "queued" });
  expect((await all).slice(-2)).toEqual(["2 b queued", "3 c queued"]);
});
