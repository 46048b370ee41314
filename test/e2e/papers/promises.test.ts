/**
 * Promises about the whole service: cancelling running jobs (P14), back-pressure (P17), misbehaving drivers
 * (P27).
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRandom } from "../../../scripts/chaos/random.ts";
import { startService, tempFolder } from "../../../src/testkit/service.ts";
import { isExhaustive } from "../../support/sampled.ts";
import { submitTo } from "../../support/submit.ts";
import { simulated } from "../devices.ts";

const [cancelled, submitted] = isExhaustive() ? [100, 400] : [40, 120];
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(what: () => boolean): Promise<void> {
  for (let tries = 0; tries < 5000 && !what(); tries++) await pause(20);
  expect(what()).toBe(true);
}

test(`P14: ${cancelled} jobs cancelled at random moments all end, and leave no session on a device`, async () => {
  const device = await simulated("cisco_ios", { latencyMs: 40 });
  const service = await startService({ env: { PATCHBAY_LOG_LEVEL: "warn", PATCHBAY_NODE: "n1" } });
  const random = createRandom(14);
  try {
    const ended = await Promise.all(
      Array.from({ length: cancelled }, async (_, at) => {
        const { body } = await submitTo(service, {
          driver: "netmiko",
          connection_args: {
            device_type: "cisco_ios",
            host: `127.0.9.${at + 1}`,
            port: device.port,
            username: device.username,
            password: device.password,
            secret: device.secret,
          },
          ...(at % 2 === 0
            ? { command: ["show clock", "show version", "show clock"] }
            : { config: [`interface Loopback${at}`, `description ${at}`] }),
          options: { queue_strategy: at % 4 < 2 ? "fifo" : "pinned" },
        });
        await pause(random.below(1_500));
        const answer = await service.call<unknown>("DELETE", `/job?id=${body.data.id}&force=true`);
        return { job: await service.ended(body.data.id), answer };
      }),
    );
    for (const { job, answer } of ended) {
      expect(answer.status).toBe(200);
      const error = job.result?.error;
      if (job.status === "cancelled") expect(job.attempt).toBe(0);
      else if (job.status === "failed") expect(error?.type).toBe("Cancelled");
      else expect(job.status).toBe("finished");
      // Lines that may have reached a device are listed; a job that sent nothing lists none.
      if (error?.outcome === "unknown") expect(error.sent?.length).toBeGreaterThan(0);
    }
    const states = new Set(ended.map(({ job }) => job.status));
    expect(states).toContain("failed");
    // Kept sessions close with their workers; a leaked one would stay open.
    expect((await service.call("DELETE", "/worker?node=n1")).status).toBe(200);
    await until(() => device.sessions() === 0);
    // Nothing of a cancelled job is sent later.
    const before = device.commands().length;
    await pause(200);
    expect(device.commands()).toHaveLength(before);
  } finally {
    await service.stop();
    await device.stop();
  }
});

test.each([
  ["of one API key", "PATCHBAY_MAX_QUEUED_PER_KEY"],
  ["in all", "PATCHBAY_MAX_QUEUED"],
])(
  "P17: rejects submissions above the backlog %s with 429 and completes the accepted ones",
  async (_, limit) => {
    const device = await simulated("cisco_ios", { latencyMs: 30 });
    const service = await startService({
      env: { PATCHBAY_LOG_LEVEL: "warn", [limit]: "40", PATCHBAY_SLOTS: "4" },
    });
    try {
      const answers = await Promise.all(
        Array.from({ length: submitted }, (_, at) =>
          submitTo(service, {
            driver: "netmiko",
            connection_args: {
              device_type: "cisco_ios",
              host: `127.0.9.${(at % 8) + 1}`,
              port: device.port,
              username: device.username,
              password: device.password,
              secret: device.secret,
            },
            command: "show clock",
          }),
        ),
      );
      const taken = answers.filter(({ status }) => status === 201);
      const refused = answers.filter(({ status }) => status === 429);
      expect(taken.length + refused.length).toBe(answers.length);
      expect(refused.length).toBeGreaterThan(0);
      for (const { headers, body } of refused) {
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
        expect(body.code).toBe(-1);
      }
      expect((await service.call("GET", "/job?limit=1")).status).toBe(200);
      for (const { body } of taken) expect((await service.ended(body.data.id)).status).toBe("finished");
    } finally {
      await service.stop();
      await device.stop();
    }
  },
);

/** It never yields once it spins, and computes at full speed when it is given up, after 19 s, but not all the time before. */
const wild = `
const never = new Int32Array(new SharedArrayBuffer(4));
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const acts = {
  throw() { throw new Error("thrown by the driver"); },
  late() { setTimeout(() => { throw new Error("thrown late"); }, 1); },
  reject() { void Promise.reject(new Error("rejected late")); },
  spin() {
    for (const until = Date.now() + 14_000; Date.now() < until; ) Atomics.wait(never, 0, 0, 20);
    for (;;);
  },
  exit() { process.exit(3); },
  grab() { new Uint8Array(2 ** 46).fill(1); },
  fill() { const all = []; for (let at = 0; at < 32; at++) all.push(new Uint8Array(2 ** 23).fill(1)); },
};
export default { api: 1, kind: "driver", name: "wild", connection: any, args: { query: any }, strategy: "fifo",
  target: ({ host }) => ({ host, port: 22 }),
  load: async () => ({ default: async () => ({ query: async (command) => { acts[command]?.(); return command; } }) }) };
`;

test("P27: a misbehaving driver fails only its own jobs", async () => {
  const dataDir = tempFolder();
  mkdirSync(join(dataDir, "plugins"), { recursive: true });
  writeFileSync(join(dataDir, "plugins", "wild.js"), wild);
  const device = await simulated("cisco_ios");
  const service = await startService({ dataDir, env: { PATCHBAY_LOG_LEVEL: "warn" } });
  const run = (command: string, ttl = 30) =>
    service.run({
      driver: "wild",
      connection_args: { host: "127.0.0.1", username: "u", password: "p" },
      command,
      options: { ttl },
    });
  try {
    expect(await run("show clock")).toMatchObject({ status: "finished" });
    expect(await run("throw")).toMatchObject({
      status: "failed",
      result: { error: { type: "DriverError", message: expect.stringContaining("thrown by the driver") } },
    });
    // More than available: the driver gets an error, the service does not fail.
    expect(await run("grab")).toMatchObject({
      status: "failed",
      result: { error: { type: "DriverError" } },
    });
    expect(await run("fill")).toMatchObject({ status: "finished" });
    for (const later of ["late", "reject"]) expect((await run(later)).status).not.toBe("queued");
    expect(await run("exit")).toMatchObject({
      status: "failed",
      result: { error: { type: "DriverError", message: expect.stringContaining("it called process.exit") } },
    });
    const spun = await run("spin", 4);
    expect(spun).toMatchObject({ status: "failed", driver: "wild" });
    expect(["JobTimeout", "WorkerLost"]).toContain(spun.result?.error?.type);
    // Thrown while no job ran, so only the file can be named.
    expect(service.output()).toMatch(/thrown late at .*plugins\/wild\.js.*"event":"thread\.replaced"/);
    expect(service.output()).toMatch(/"drivers":\["wild"\],"event":"thread\.replaced"/);
    const after = await service.run({
      driver: "netmiko",
      connection_args: device.connection,
      command: "show clock",
    });
    expect(after.status).toBe("finished");
    expect((await run("show clock")).status).toBe("finished");
  } finally {
    await service.stop();
    await device.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
