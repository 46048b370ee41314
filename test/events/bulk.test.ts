/** The event stream of a bulk: counts, changes and output of its jobs, and its end after the last of them. */
import { expect, test } from "vitest";
import { createWorld, listening, reader, running } from "./fixture.ts";

const wishes = { output: false, states: true };
const jobs = (status: "queued" | "finished", ...ids: string[]) =>
  ids.map((jobId) => ({ jobId, status, bulkId: "b1", attempt: 1 }));

test("a bulk stream sends counts, then changes with counts, and its end after the last change", async () => {
  const { streams, write, bulks } = createWorld();
  bulks.set("b1", { record: { left: 2 }, ended: false });
  write(...jobs("queued", "x", "y"));
  const { until, rest } = reader(streams.ofBulk("b1", wishes, listening()));
  await until('bulk {"left":2}');
  write(running("x", { bulkId: "b1" }), running("other"), ...jobs("finished", "x"));
  await until("5 x finished");
  bulks.set("b1", { record: { left: 0 }, ended: true });
  write(...jobs("finished", "y"));
  expect(await rest()).toEqual([
    ...['bulk {"left":2}', "3 x running", "5 x finished", "6 y finished"],
    ...['bulk {"left":0}', "end b1"],
  ]);
});

test("counts of a bulk are sent to many listeners with one read", async () => {
  const { streams, write, bulks, bulkReads } = createWorld();
  bulks.set("b1", { record: { left: 1 }, ended: false });
  write(...jobs("queued", "x"));
  const all = Array.from({ length: 30 }, () =>
    reader(streams.ofBulk("b1", { output: false, states: false }, listening())),
  );
  await Promise.all(all.map(({ until }) => until('bulk {"left":1}')));
  const ends = all.map(({ rest }) => rest());
  bulks.set("b1", { record: { left: 0 }, ended: true });
  write(...jobs("finished", "x"));
  for (const seen of await Promise.all(ends))
    expect(seen).toEqual(['bulk {"left":1}', 'bulk {"left":0}', "end b1"]);
  expect(bulkReads.length).toBeLessThan(6);
});

test("the stream of an ended bulk sends its end unless already seen; a missing bulk is NotFound", async () => {
  const { streams, write, bulks } = createWorld();
  write(...jobs("finished", "x"));
  bulks.set("b1", { record: {}, ended: true });
  expect(await reader(streams.ofBulk("b1", wishes, listening())).rest()).toEqual(["bulk {}", "end b1"]);
  const from = { log: { n: 1, jobId: "x" }, ended: true as const };
  expect(await reader(streams.ofBulk("b1", wishes, listening({ from }))).rest()).toEqual([]);
  await expect(streams.ofBulk("b2", wishes, listening()).next()).rejects.toMatchObject({ kind: "NotFound" });
});

test("a resumed bulk stream sends the missed changes", async () => {
  const { streams, write, bulks } = createWorld();
  write(...jobs("queued", "x", "y"), running("x", { bulkId: "b1" }), ...jobs("finished", "x", "y"));
  bulks.set("b1", { record: {}, ended: true });
  const from = { log: { n: 3, jobId: "x" } };
  expect(await reader(streams.ofBulk("b1", wishes, listening({ from }))).rest()).toEqual([
    "4 x finished",
    "5 y finished",
    "bulk {}",
    "end b1",
  ]);
});

test("a bulk stream sends the output of local jobs, and the node of the others", async () => {
  const { streams, write, bulks, live } = createWorld();
  bulks.set("b1", { record: {}, ended: false });
  write(...jobs("queued", "x", "y", "z"), running("x", { bulkId: "b1" }));
  live.begin("x", 1);
  live.add("x", { kind: "output", text: "before" });
  const { until, rest } = reader(streams.ofBulk("b1", { ...wishes, output: true }, listening()));
  await until("x says before");
  write(running("y", { bulkId: "b1" }), running("z", { bulkId: "b1", node: "n2" }));
  live.begin("y", 1);
  live.add("y", { kind: "output", text: "hello" });
  live.add("x", { kind: "output", text: " and after" });
  await until("y says hello");
  await until("z on n2");
  await until("x says  and after");
  bulks.set("b1", { record: {}, ended: true });
  write(...jobs("finished", "x", "y", "z"));
  expect((await rest()).at(-1)).toBe("end b1");
});
