/** Webhooks: every ended job is delivered, in order, retried until accepted, without delaying jobs. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { onAbort, pause } from "../../src/base/time/deadline.ts";
import type { RunOptions } from "../../src/pool/port.ts";
import type { DeliverTask, Task } from "../../src/protocol/task.ts";
import { makePlace, storeKinds, type TestPlace } from "../store/support.ts";
import { type FakePool, fakePool } from "../support/fake-pool.ts";
import { type Node, startNode } from "../support/node.ts";
import { admin, query } from "../support/requests.ts";

interface Message {
  id: string;
  event: string;
  status: string;
  result?: { retval: unknown };
  command?: unknown;
  delivery: { id: string; attempt: number };
}

describe.each(storeKinds)("webhook deliveries, store: %s", (kind) => {
  let place: TestPlace;
  let node: Node;
  let got: { url: string; message: Message }[];
  let answer: (task: DeliverTask, count: number) => Promise<{ ok: boolean; status: number }>;

  beforeEach(async () => {
    place = await makePlace(kind);
    got = [];
    answer = async () => ({ ok: true, status: 204 });
    node = await start();
  });
  afterEach(async () => {
    await node.stop();
    await place.remove();
  });

  function start(): Promise<Node> {
    return startNode({
      directory: place.directory,
      pool: receivingPool(),
      ...(place.url === undefined ? {} : { store: { url: place.url } }),
    });
  }

  function receivingPool(): FakePool {
    const inner = fakePool();
    return {
      ...inner,
      run: async <T extends Task>(task: T, options: RunOptions) => {
        if (task.kind !== "deliver") return inner.run(task, options);
        got.push({ url: String(task.options.url), message: JSON.parse(task.payload) });
        return (await answer(task, got.length)) as never;
      },
    };
  }

  const hook = (more: object = {}) => ({ options: { webhook: { url: "http://a.example/x", ...more } } });
  const delivered = async (count: number) => {
    while (got.length < count) await pause(5);
  };
  const recordOf = async (id: string) => node.ended(id, 1);
  const stateOf = async (id: string, status: string) => {
    for (;;) {
      const { webhook } = await recordOf(id);
      if (webhook?.status === status) return webhook;
      await pause(10);
    }
  };

  test("report each ended job once, in the order of ending, with its request and result", async () => {
    const ids = [
      await node.submit(query("r1", "show a", hook())),
      await node.submit(query("r1", "fail b", hook())),
      await node.submit(query("r1", "show c", hook({ include_result: false }))),
    ];
    await delivered(3);
    expect(got.map(({ message }) => [message.id, message.event])).toEqual([
      [ids[0], "job.finished"],
      [ids[1], "job.failed"],
      [ids[2], "job.finished"],
    ]);
    expect(got[0]?.message).toMatchObject({
      status: "finished",
      queue: "pinned_r1",
      device: { host: "r1", device_type: "cisco_ios" },
      driver: "netmiko",
      command: "show a",
      result: { retval: { "show a": "r1: show a" } },
      delivery: { id: ids[0], attempt: 1 },
    });
    expect(got[2]?.message).not.toHaveProperty("result");
    expect(await stateOf(ids[0] ?? "", "delivered")).toMatchObject({
      attempts: [{ status: 204 }],
      next_attempt_at: null,
    });
    expect(JSON.stringify(got)).not.toContain("canary");
  });

  test("report cancelled, expired and rejected jobs, limited to the chosen events", async () => {
    const blocking = await node.submit(query("r1", "hang"));
    const cancelled = await node.submit(query("r1", "x", hook()));
    const unwanted = await node.submit(query("r1", "y", hook({ events: ["job.finished"] })));
    const expired = await node.submit(query("r1", "z", { options: { ...hook().options, ttl: 1 } }));
    await node.jobs.cancel({ id: cancelled }, false, admin);
    await node.jobs.cancel({ id: unwanted }, false, admin);
    expect((await node.ended(expired)).result?.error).toMatchObject({ type: "JobExpired" });
    await delivered(2);
    expect(got.map(({ message }) => [message.id, message.event])).toEqual([
      [cancelled, "job.cancelled"],
      [expired, "job.failed"],
    ]);
    expect((await recordOf(unwanted)).webhook).toBeUndefined();
    await node.jobs.cancel({ id: blocking }, true, admin);
  });

  test("are retried after their intervals, and fail after the last one", async () => {
    answer = async (_, count) => {
      if (count === 1) throw new ServiceError("ConnectionRefused", "nobody there");
      return { ok: false, status: 500 };
    };
    const retrying = hook({ max_retries: 2, retry_intervals: [0, 0.01] });
    const id = await node.submit(query("r1", "show a", retrying));
    const state = await stateOf(id, "failed");
    expect(state.attempts.map(({ status, error }) => [status, error])).toEqual([
      [null, "nobody there"],
      [500, "answered 500"],
      [500, "answered 500"],
    ]);
    expect(got.map(({ message }) => message.delivery)).toEqual([1, 2, 3].map((attempt) => ({ id, attempt })));
    expect((await recordOf(id)).status).toBe("finished");
  });

  test("to a slow receiver delay no other receiver and no job", async () => {
    const release = Promise.withResolvers<void>();
    answer = async (task) => {
      if (String(task.options.url).includes("slow")) await release.promise;
      return { ok: true, status: 200 };
    };
    const slow = { options: { webhook: { url: "http://slow.example/x" } } };
    for (let at = 0; at < 5; at++) await node.submit(query("r1", `show ${at}`, slow));
    const id = await node.submit(query("r1", "show fast", hook()));
    expect((await node.ended(id)).status).toBe("finished");
    await delivered(2);
    expect(got.map(({ url }) => new URL(url).hostname).sort()).toEqual(["a.example", "slow.example"]);
    release.resolve();
    await delivered(6);
  });

  test("to hanging receivers of one key do not delay those of other keys", async () => {
    const release = Promise.withResolvers<void>();
    answer = async (task) => {
      if (String(task.options.url).includes("hangs")) await release.promise;
      return { ok: true, status: 200 };
    };
    const silent = (at: number) => hook({ url: `http://n${at}.example/hangs` });
    // More than are served concurrently for one key.
    for (let at = 0; at < 40; at++) await node.submit(query("r1", `show ${at}`, silent(at)));
    const other = { ...admin, keyId: "k2", name: "other" };
    const last = await node.submit(query("r1", "show last", hook({ url: "http://n1.example/x" })), other);
    await expect.poll(() => got.map(({ message }) => message.id), { timeout: 120_000 }).toContain(last);
    release.resolve();
    await delivered(41);
  });

  test("to many dead receivers of one key do not delay those of its others", async () => {
    const begin = Promise.withResolvers<void>();
    const dead = { attempts: 0 };
    answer = async (task) => {
      if (!String(task.options.url).includes("dead")) return { ok: true, status: 200 };
      await begin.promise;
      dead.attempts++;
      await pause(20);
      throw new ServiceError("JobTimeout", "it is silent");
    };
    // More than are served concurrently for one key, each with several that wait.
    const receivers = 48;
    const each = 6;
    for (let at = 0; at < receivers * each; at++) {
      const url = `http://n${Math.floor(at / each)}.example/dead`;
      await node.submit(query("r1", `show ${at}`, hook({ url, max_retries: 20, retry_intervals: [0] })));
    }
    const last = await node.submit(query("r2", "show last", hook()));
    await node.ended(last);
    begin.resolve();
    await expect.poll(() => got.map(({ message }) => message.id), { timeout: 120_000 }).toContain(last);
    expect(dead.attempts).toBeLessThan(receivers * 3);
  });

  test("of large messages are limited in number, and do not delay small ones", async () => {
    const release = Promise.withResolvers<void>();
    answer = async (_task, count) => {
      if (count <= 3) await release.promise;
      return { ok: true, status: 200 };
    };
    const commands = Array.from({ length: 12 }, (_, at) => `show ${at} ${"x".repeat(50_000)}`);
    const silent = (at: number) => hook({ url: `http://n${at}.example/x` });
    for (let at = 0; at < 5; at++) await node.submit(query("r1", commands, silent(at)));
    await delivered(3);
    const small = await node.submit(query("r1", "show small", hook()));
    await expect.poll(() => got.at(-1)?.message.id, { timeout: 120_000 }).toBe(small);
    expect(got).toHaveLength(4);
    release.resolve();
    await delivered(6);
    expect(got.at(-1)?.message.result?.retval).toMatchObject({ [commands[0] ?? ""]: `r1: ${commands[0]}` });
  });

  test("that were due when the node died are made after its restart", async () => {
    answer = () => new Promise(() => {});
    const id = await node.submit(query("r1", "show a", hook()));
    const second = await node.submit(query("r1", "show b", hook()));
    await node.ended(second);
    await delivered(1);
    await node.kill();
    got = [];
    answer = async () => ({ ok: true, status: 200 });
    node = await start();
    await delivered(2);
    expect(got.map(({ message }) => message.id)).toEqual([id, second]);
    await stateOf(second, "delivered");
  });
});

test("a silent webhook receiver does not delay shutdown, and gets the delivery after restart", async () => {
  const place = await makePlace("file");
  const inner = fakePool();
  const asked = Promise.withResolvers<AbortSignal>();
  const silent: FakePool = {
    ...inner,
    run: async <T extends Task>(task: T, { deadline, ...options }: RunOptions) => {
      if (task.kind !== "deliver") return inner.run(task, { deadline, ...options });
      asked.resolve(deadline.signal);
      return new Promise<never>((_resolve, reject) => onAbort(deadline.signal, reject));
    },
  };
  const first = await startNode({ directory: place.directory, pool: silent });
  const webhook = { url: "http://silent.example/x", timeout: 120, max_retries: 0 };
  const id = await first.submit(query("r1", "show a", { options: { webhook } }));
  await first.ended(id);
  const signal = await asked.promise;
  const stopped = first.stop();
  await expect.poll(() => signal.aborted).toBe(true);
  await stopped;

  const attempts: number[] = [];
  const answering: FakePool = {
    ...fakePool(),
    run: async <T extends Task>(task: T, options: RunOptions) => {
      if (task.kind !== "deliver") return inner.run(task, options);
      const { delivery }: Message = JSON.parse(task.payload);
      attempts.push(delivery.attempt);
      return { ok: true, status: 204 } as never;
    },
  };
  const second = await startNode({ directory: place.directory, pool: answering });
  await expect.poll(() => attempts).toEqual([1]);
  await second.stop();
  await place.remove();
});
