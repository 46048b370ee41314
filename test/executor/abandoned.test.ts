/** Drivers that do not end after their task was stopped: the task ends without them, and their sessions are cut off. */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDeadline, type Deadline } from "../../src/base/time/deadline.ts";
import { stopTimes } from "../../src/base/time/stop-times.ts";
import { serveTasks } from "../../src/executor/runner.ts";
import type { Context, DriverPlugin, Session } from "../../src/plugin/index.ts";
import { createWorkerClient, type WorkerClient } from "../../src/pool/worker-client.ts";
import type { FromWorker, Port, ToWorker } from "../../src/protocol/message-port.ts";
import type { QueryTask, Task } from "../../src/protocol/task.ts";
import { plainSettings } from "./fixtures.ts";

function pair(): [Port<FromWorker, ToWorker>, Port<ToWorker, FromWorker>] {
  const { port1, port2 } = new MessageChannel();
  const end = <In, Out>(port: MessagePort): Port<In, Out> => ({
    post: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on("message", (message: In) => listener(message)),
  });
  return [end(port1), end(port2)];
}

/** What the driver does is decided by each test. */
interface Behaviour {
  open?(): Promise<void>;
  query?(ctx: Context): Promise<unknown>;
  reusable?(): Promise<boolean>;
  close?(): Promise<void>;
}

function driverOf(behaviour: Behaviour, did: string[]): DriverPlugin {
  const session: Session = {
    async query(_command, _args, ctx) {
      return (await behaviour.query?.(ctx)) ?? "ok";
    },
    reusable: async () => behaviour.reusable?.() ?? true,
    async close() {
      did.push("closed");
      await behaviour.close?.();
    },
  };
  return {
    api: 1,
    kind: "driver",
    name: "stubborn",
    connection: v.looseObject({ host: v.string() }),
    args: { query: v.looseObject({}) },
    strategy: "pinned",
    target: () => ({ host: "r1", port: 22 }),
    load: async () => ({
      default: async () => {
        await behaviour.open?.();
        return session;
      },
    }),
  };
}

const never = () => new Promise<never>(() => {});
const query: QueryTask = {
  kind: "query",
  driver: "stubborn",
  connection: { host: "r1" },
  args: {},
  reach: [],
  keep: true,
  commands: ["show version"],
};

describe("a driver that does not end", () => {
  let behaviour: Behaviour;
  let did: string[];
  let remote: WorkerClient;
  const replaced = vi.fn();
  let stop: Deadline;

  beforeEach(() => {
    behaviour = {};
    did = [];
    replaced.mockClear();
    const [near, far] = pair();
    serveTasks(far, [driverOf(behaviour, did)]);
    remote = createWorkerClient({
      port: near,
      settings: plainSettings,
      log: silentLog,
      turnMs: stopTimes.turnMs,
      onHang: replaced,
      answerThread: async () => [],
    });
    stop = createDeadline(1e9, () => new ServiceError("JobTimeout", "late"));
  });
  afterEach(() => {
    vi.useRealTimers();
    stop.dispose();
  });

  /** Messages between the ends arrive in real time. */
  const messages = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const fakeClock = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  async function pass(ms: number) {
    for (let left = ms; left > 0; left -= 1000) {
      await messages();
      await vi.advanceTimersByTimeAsync(Math.min(left, 1000));
    }
    await messages();
  }
  async function stopped(task: Task = query): Promise<ServiceError> {
    const running = remote.run(task, { deadline: stop, answer: async () => undefined });
    const failure = running.then(
      () => Promise.reject(new Error("it did not fail")),
      (error: ServiceError) => error,
    );
    await messages();
    stop.abort(new ServiceError("Cancelled", "by hand"));
    await pass(stopTimes.abandonMs);
    return failure;
  }

  test("ends with the reason of the stop and a warning; its session is closed, its thread stays", async () => {
    fakeClock();
    behaviour.query = never;
    const error = await stopped();
    expect(error).toMatchObject({ kind: "Cancelled", message: "by hand" });
    expect(error.detail?.warnings).toEqual([expect.stringContaining("stubborn did not end")]);
    expect(did).toEqual(["closed"]);
    expect(remote.sessions()).toEqual([]);
    await pass(2 * stopTimes.turnMs);
    expect(replaced).not.toHaveBeenCalled();
    delete behaviour.query;
    const again = createDeadline(1e9, () => new ServiceError("JobTimeout", "late"));
    expect((await remote.run(query, { deadline: again })).reused).toBe(false);
  });

  test("may not announce lines after it was left behind", async () => {
    fakeClock();
    let goOn = () => {};
    behaviour.query = async (ctx) => {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await ctx.announce(["reload"]);
      did.push("sent");
    };
    await stopped();
    goOn();
    await messages();
    expect(did).toEqual(["closed"]);
  });

  test("is left behind while it connects, and a late session is closed", async () => {
    fakeClock();
    let connected = () => {};
    behaviour.open = () =>
      new Promise((resolve) => {
        connected = resolve;
      });
    expect((await stopped()).kind).toBe("Cancelled");
    connected();
    await messages();
    expect(did).toEqual(["closed"]);
    expect(remote.sessions()).toEqual([]);
  });

  test("does not keep a session whose check never answers", async () => {
    const deadline = createDeadline(1e9, () => new ServiceError("JobTimeout", "late"));
    await remote.run(query, { deadline });
    expect(remote.sessions()).toHaveLength(1);
    fakeClock();
    behaviour.reusable = never;
    expect((await stopped()).kind).toBe("Cancelled");
    expect(remote.sessions()).toEqual([]);
  });

  test("does not hold up the removal of its sessions when it never closes", async () => {
    const deadline = createDeadline(1e9, () => new ServiceError("JobTimeout", "late"));
    await remote.run(query, { deadline });
    fakeClock();
    behaviour.close = never;
    const evicted = remote.run({ kind: "evict" }, { deadline });
    await pass(stopTimes.closeMs);
    expect(await evicted).toEqual({ closed: 1 });
    expect(replaced).not.toHaveBeenCalled();
  });
});
