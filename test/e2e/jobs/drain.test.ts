/**
 * SIGTERM while jobs run (P13): nothing new starts, running jobs end, devices are logged out, the rest waits
 * for the next start.
 */
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { makePlace, type TestPlace } from "../../store/support.ts";
import { submitTo } from "../../support/submit.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const slots = 20;
let device: SimulatedDevice;
let place: TestPlace;
beforeEach(async () => {
  place = await makePlace("file");
  device = await simulated("cisco_ios", { latencyMs: 60 });
});
afterEach(async () => {
  await device.stop();
  await place.remove();
});

const start = (more: Record<string, string> = {}) =>
  startService({
    dataDir: place.directory,
    env: { PATCHBAY_SLOTS: String(slots), PATCHBAY_LOG_LEVEL: "warn", ...more },
  });

const operation = (at: number, command: string) => ({
  driver: "netmiko",
  connection_args: {
    device_type: "cisco_ios",
    host: `127.0.8.${at + 1}`,
    port: device.port,
    username: device.username,
    password: device.password,
    secret: device.secret,
  },
  command: Array.from({ length: 5 }, () => command),
});

async function submit(service: Service, count: number, command: string): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, at) => submitTo(service, operation(at, command))),
  );
  return answers.map(({ body }) => body.data.id);
}

async function running(service: Service): Promise<number> {
  return (await service.call<unknown[]>("GET", "/job?status=running")).body.data.length;
}

test("finishes running jobs after one signal", async () => {
  const service = await start();
  const ids = await submit(service, 3 * slots, "show clock");
  while ((await running(service)) === 0 || device.commands().length === 0) await pause(5);
  const exited = once(service.child, "exit");
  service.child.kill("SIGTERM");
  let seen = 200;
  while (seen === 200) seen = await fetch(`${service.url}/readyz`).then((answer) => answer.status);
  expect(seen).toBe(503);
  const [id = ""] = ids;
  const refused = await service.call("POST", "/device/execute", operation(1, "show clock"));
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  // The running job can still be queried.
  expect((await service.job(id)).id).toBe(id);
  expect((await exited)[0]).toBe(0);
  expect(device.sessions()).toBe(0);

  const next = await start();
  const jobs = await Promise.all(ids.map((id) => next.ended(id)));
  expect(jobs.filter(({ status }) => status !== "finished")).toEqual([]);
  expect(jobs.filter(({ attempt }) => attempt !== 1)).toEqual([]);
  expect(await next.stop()).toBe(0);
});

test("without drain time, a sending job reports its lines and others wait for the next start", async () => {
  const service = await start({ PATCHBAY_DRAIN_SECONDS: "0" });
  const ids = await submit(service, 2 * slots, "show clock");
  while (device.commands().filter((line) => line === "show clock").length < 3) await pause(5);
  expect(await service.stop()).toBe(0);
  const next = await start();
  const jobs = await Promise.all(ids.map((id) => next.ended(id)));
  const cut = jobs.filter(({ status }) => status !== "finished");
  expect(cut.length).toBeGreaterThan(0);
  for (const job of cut)
    expect(job).toMatchObject({
      status: "failed",
      result: { error: { type: "WorkerLost", outcome: "unknown", sent: expect.any(Array) } },
    });
  expect(await next.stop()).toBe(0);
});

test("stops at once at a second signal without losing an accepted job", async () => {
  const service = await start();
  const ids = await submit(service, 2 * slots, "show clock");
  while ((await running(service)) === 0) await pause(5);
  const exited = once(service.child, "exit");
  service.child.kill("SIGTERM");
  while ((await fetch(`${service.url}/readyz`).then((answer) => answer.status)) === 200);
  service.child.kill("SIGTERM");
  expect((await exited)[0]).toBe(1);
  const next = await start();
  for (const id of ids) expect(["finished", "failed"]).toContain((await next.ended(id)).status);
  expect(await next.stop()).toBe(0);
});
