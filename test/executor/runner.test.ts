import { MessageChannel, type MessagePort } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDeadline } from "../../src/base/time/deadline.ts";
import { serveTasks } from "../../src/executor/runner.ts";
import { createWorkerClient, type WorkerClient } from "../../src/pool/worker-client.ts";
import type { FromWorker, Port, TaskQuestion, ToWorker } from "../../src/protocol/message-port.ts";
import type { QueryTask } from "../../src/protocol/task.ts";
import { type Counts, plainSettings, testDriver } from "./fixtures.ts";

/** Both ends of a port in one thread; messages are cloned as between threads. */
function pair(): [Port<FromWorker, ToWorker>, Port<ToWorker, FromWorker>] {
  const { port1, port2 } = new MessageChannel();
  const end = <In, Out>(port: MessagePort): Port<In, Out> => ({
    post: (message) => port.postMessage(message),
    onMessage: (listener) => {
      port.on("message", (message: In) => listener(message));
    },
  });
  return [end(port1), end(port2)];
}

describe("a worker", () => {
  let counts: Counts;
  let remote: WorkerClient;
  const deadline = () => createDeadline(10_000, () => new ServiceError("JobTimeout", "late"));
  const query = (commands: string[], more: Partial<QueryTask> = {}): QueryTask => ({
    kind: "query",
    driver: "test",
    connection: { host: "r1", password: "hunter2-canary" },
    args: {},
    reach: [],
    keep: true,
    commands,
    ...more,
  });

  beforeEach(() => {
    counts = { opened: 0, closed: 0 };
    const [near, far] = pair();
    serveTasks(far, [testDriver(counts)]);
    remote = createWorkerClient({
      port: near,
      settings: plainSettings,
      log: silentLog,
      turnMs: 1000,
      onHang() {},
      answerThread: async () => [],
    });
  });
  afterEach(async () => void (await remote.run({ kind: "evict" }, { deadline: deadline() })));

  test("reuses the session for a second query", async () => {
    const first = await remote.run(query(["echo a", "echo b"]), { deadline: deadline() });
    expect(first).toEqual({
      outputs: [
        { command: "echo a", output: "a" },
        { command: "echo b", output: "b" },
      ],
      reused: false,
    });
    expect((await remote.run(query(["echo c"]), { deadline: deadline() })).reused).toBe(true);
    expect(counts).toEqual({ opened: 1, closed: 0 });
    expect(remote.sessions()).toMatchObject([{ host: "r1", driver: "test" }]);
  });

  test("returns warnings with the outputs, once each and masked", async () => {
    const secret = { host: "r1", password: "canary-pass" };
    const commands = ["warn it said canary-pass", "warn twice", "warn twice"];
    const done = await remote.run(query(commands, { connection: secret }), { deadline: deadline() });
    expect(done.warnings).toEqual(["it said [secret]", "twice"]);
    const failing = remote.run(query(["warn first", "fail"]), { deadline: deadline() });
    await expect(failing).rejects.toMatchObject({ detail: { warnings: ["first"] } });
  });

  test("opens a new session for another password, but not for another timeout", async () => {
    await remote.run(query(["echo a"]), { deadline: deadline() });
    await remote.run(query(["echo a"], { connection: { host: "r1", password: "other" } }), {
      deadline: deadline(),
    });
    expect(counts.opened).toBe(2);
    await remote.run(query(["echo a"], { connection: { host: "r1", password: "other", timeout: 7 } }), {
      deadline: deadline(),
    });
    expect(counts.opened).toBe(2);
  });

  test("closes a session after its job if keep is off or fresh is requested", async () => {
    await remote.run(query(["echo a"], { keep: false }), { deadline: deadline() });
    await remote.run(query(["echo a"], { args: { fresh: true } }), { deadline: deadline() });
    expect(counts).toEqual({ opened: 2, closed: 2 });
    expect(remote.sessions()).toEqual([]);
  });

  test("closes the session after an error, which keeps its type", async () => {
    await expect(remote.run(query(["fail"]), { deadline: deadline() })).rejects.toMatchObject({
      kind: "DriverError",
    });
    expect(counts).toEqual({ opened: 1, closed: 1 });
  });

  test("masks a secret in an error message", async () => {
    const failing = remote.run(
      query(["x"], { connection: { host: "unreachable", password: "hunter2-canary" } }),
      { deadline: deadline() },
    );
    await expect(failing).rejects.toThrow("no way to unreachable with [secret]");
  });

  test("sends nothing before the announcement is accepted", async () => {
    const questions: TaskQuestion[] = [];
    const answer = async (question: TaskQuestion) => void questions.push(question);
    await remote.run(query(["echo a"]), { deadline: deadline(), answer });
    expect(questions).toEqual([{ about: "sending", lines: ["echo a"] }]);
    const refused = remote.run(query(["echo a"]), {
      deadline: deadline(),
      answer: () => Promise.reject(new ServiceError("WorkerLost", "the lease has ended")),
    });
    await expect(refused).rejects.toMatchObject({ kind: "WorkerLost", message: "the lease has ended" });
  });

  test("stops a waiting task with the reason of its cancel", async () => {
    const stopped = deadline();
    const running = remote.run(query(["wait 60000"]), {
      deadline: stopped,
      answer: async () => stopped.abort(new ServiceError("Cancelled", "by hand")),
    });
    await expect(running).rejects.toMatchObject({ kind: "Cancelled", message: "by hand" });
  });

  test("closes the session that was idle longest when there are too many", async () => {
    for (const host of ["r1", "r2", "r3"])
      await remote.run(query(["echo a"], { connection: { host } }), { deadline: deadline() });
    expect(remote.sessions().map((session) => session.host)).toEqual(["r2", "r3"]);
    expect(counts.closed).toBe(1);
  });

  test("survives a driver that throws later", async () => {
    await remote.run(query(["late"]), { deadline: deadline() });
    expect((await remote.run(query(["echo a"]), { deadline: deadline() })).reused).toBe(true);
  });

  test("checks arguments again, without quoting values", async () => {
    const wrong = remote.run(query(["x"], { connection: { host: 7, password: "hunter2-canary" } }), {
      deadline: deadline(),
    });
    await expect(wrong).rejects.toMatchObject({
      kind: "Validation",
      detail: { issues: [{ path: "connection_args.host" }] },
    });
    await expect(wrong).rejects.not.toThrow("canary");
  });
});
