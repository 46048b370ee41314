/** The event stream of a job: its states in order, the device's output between them, and its end. */
import { expect, test } from "vitest";
import { admin } from "../support/requests.ts";
import { createWorld, listening, reader, running } from "./fixture.ts";

test("a job stream has states and output in order, and ends with the final state", async () => {
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

test("the output of an attempt follows its start", async () => {
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

test("a resumed job stream sends the missed output and states", async () => {
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

test("the stream of an ended job sends its final state, unless already seen", async () => {
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

test("a resume position that was deleted causes a reset and the current state", async () => {
  const { streams, write, trimTo } = createWorld();
  write({ jobId: "j1", status: "queued" }, running("j1"), running("j2"), running("j3"));
  trimTo(4);
  const { until, rest } = reader(streams.ofJob("j1", listening({ from: { log: { n: 1, jobId: "j1" } } })));
  // The log no longer contains it.
  await until("reset");
  write({ jobId: "j1", status: "finished" });
  expect((await rest()).at(-1)).toContain("finished");
});

test("the stream of a job on another node sends its states and its node", async () => {
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

test("a stream of a missing or unreachable job fails as NotFound, and a closed one stops reading", async () => {
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
