/** The event stream of a job: its states in order, the device's output between them, and its end. */
import { expect, test } from "vitest";
import { admin } from "../support/requests.ts";
import { createWorld, listening, reader, running } from "./fixture.ts";

test("states and output come in order, and the final state is the last", async () => {
  const { streams, write, live } = createWorld();
  write({ jobId: "j1", status: "queued" });
  const { until, rest } = reader(streams.ofJob("j1", listening()));
  await until("j1 is queued");
  write(running("j1"), running("other"));
  live.begin("j1", 1);
  live.add("j1", { kind: "output", text: "R1#" });
  live.add("j1", { kind: "progress", done: 1, total: 9 });
  await until("j1 1/9");
  live.add("j1", { kind: "output", text: "bye" });
  write({ jobId: "j1", status: "finished" });
  expect(await rest()).toEqual([
    "j1 is queued",
    "2 j1 running",
    "j1 says R1#",
    "j1 1/9",
    "j1 says bye",
    "4 j1 finished",
  ]);
});

test("what an attempt says is told behind its beginning", async () => {
  const { streams, write, live } = createWorld();
  write({ jobId: "j1", status: "queued" });
  const { until } = reader(streams.ofJob("j1", listening()));
  await until("j1 is queued");
  live.begin("j1", 1);
  live.add("j1", { kind: "output", text: "early" });
  const all = until("j1 says early");
  write(running("j1"));
  expect(await all).toEqual(["j1 is queued", "2 j1 running", "j1 says early"]);
  const more = until("j1 says more");
  live.add("j1", { kind: "output", text: "more" });
  await more;
});

test("a listener that comes back gets the output and the states that it has not seen", async () => {
  const { streams, write, live } = createWorld();
  write({ jobId: "j1", status: "queued" }, running("j1"));
  live.begin("j1", 1);
  live.add("j1", { kind: "output", text: "seen, new" });
  const from = { log: { n: 2, jobId: "j1" }, output: { attempt: 1, at: 6 } };
  const { until, rest } = reader(streams.ofJob("j1", listening({ from })));
  await until("j1 says new");
  live.end("j1");
  write({ jobId: "j1", status: "failed", errorType: "ReadTimeout" });
  expect(await rest()).toEqual(["j1 says new", "3 j1 failed"]);
});

test("an ended job says its state; who has seen that hears nothing", async () => {
  const { streams, write } = createWorld();
  write({ jobId: "j1", status: "queued" }, running("j1"), { jobId: "j1", status: "finished" });
  write({ jobId: "j2", status: "queued" });
  expect(await reader(streams.ofJob("j1", listening())).rest()).toEqual(["j1 is finished"]);
  const seen = { log: { n: 3, jobId: "j1" } };
  expect(await reader(streams.ofJob("j1", listening({ from: seen }))).rest()).toEqual([]);
  const before = { log: { n: 1, jobId: "j1" } };
  expect(await reader(streams.ofJob("j1", listening({ from: before }))).rest()).toEqual([
    "2 j1 running",
    "3 j1 finished",
  ]);
});

test("a position that is no longer kept is told, and then the state as it is", async () => {
  const { streams, write, trimTo } = createWorld();
  write({ jobId: "j1", status: "queued" }, running("j1"), running("j2"), running("j3"));
  trimTo(4);
  const { until, rest } = reader(streams.ofJob("j1", listening({ from: { log: { n: 1, jobId: "j1" } } })));
  // The log no longer contains it.
  await until("reset");
  write({ jobId: "j1", status: "finished" });
  expect((await rest()).at(-1)).toContain("finished");
});

test("a job of another node tells its states and where it runs", async () => {
  const { streams, write, live } = createWorld();
  write({ jobId: "j1", status: "queued" });
  const { rest, until } = reader(streams.ofJob("j1", listening()));
  await until("j1 is queued");
  write(running("j1", { node: "n2" }));
  await until("j1 on n2");
  write({ jobId: "j1", status: "queued", attempt: 1 }, running("j1", { attempt: 2 }));
  live.begin("j1", 2);
  live.add("j1", { kind: "output", text: "here" });
  await until("j1 says here");
  write({ jobId: "j1", status: "finished", attempt: 2 });
  expect(await rest()).toEqual([
    ...["j1 is queued", "2 j1 running", "j1 on n2", "3 j1 queued", "4 j1 running", "j1 says here"],
    "5 j1 finished",
  ]);
});

test("a job that is not there, or of a host out of reach, is not found; who leaves ends it", async () => {
  const { streams, write, readers } = createWorld();
  write({ jobId: "j1", status: "queued" });
  const limited = { ...admin, keyId: "k9", hosts: ["10.0.0.0/8"] };
  for (const [id, caller] of [
    ["j2", admin],
    ["j1", limited],
  ] as const)
    await expect(streams.ofJob(id, listening({ caller })).next()).rejects.toMatchObject({ kind: "NotFound" });
  const here = listening();
  const { until, rest } = reader(streams.ofJob("j1", here));
  await until("j1 is queued");
  const end = rest();
  here.leave();
  await end;
  expect(readers()).toBe(0);
});
