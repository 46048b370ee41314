/** SIGUSR2: logs running and waiting work in one line, without device names and secrets. */
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signalProcess } from "../../../scripts/testbed/process.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { submitTo } from "../../support/submit.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

let device: SimulatedDevice;
let service: Service;
beforeAll(async () => {
  device = await simulated("cisco_ios", { hostname: "SW-named", latencyMs: 300 });
  service = await startService({ env: { PATCHBAY_SLOTS: "1", PATCHBAY_LOG_LEVEL: "info" } });
});
afterAll(async () => {
  await service.stop();
  await device.stop();
});

const dump = v.looseObject({
  event: v.literal("service.dump"),
  queued: v.number(),
  waiting: v.object({ queueSeconds: v.number(), webhooks: v.number(), webhookSeconds: v.number() }),
  running: v.number(),
  jobs: v.array(v.looseObject({ id: v.string(), driver: v.string(), ageMs: v.number(), sent: v.boolean() })),
  device_threads: v.number(),
  template_processes: v.number(),
  requests: v.number(),
});

test("SIGUSR2 logs the running job and counts the waiting one", async () => {
  const body = {
    driver: "netmiko",
    connection_args: device.connection,
    command: Array.from({ length: 1_000 }, () => "show clock"),
  };
  const first = (await submitTo(service, body)).body.data.id;
  await expect.poll(async () => (await service.job(first)).status).toBe("running");
  const second = (await submitTo(service, { ...body, command: "show clock" })).body.data.id;
  signalProcess(service.child.pid ?? 0, "SIGUSR2");
  const lines = () =>
    service
      .output()
      .split("\n")
      .filter((line) => line.includes('"service.dump"'));
  await expect.poll(lines).toHaveLength(1);
  const found = v.parse(dump, JSON.parse(lines()[0] ?? ""));
  expect(found).toMatchObject({ running: 1, queued: 1, jobs: [{ id: first, driver: "netmiko" }] });
  for (const word of [device.password, device.secret, "SW-named", "127.0.0.1"])
    expect(lines()[0]).not.toContain(word);
  for (const id of [first, second]) await service.call("DELETE", `/job?id=${id}&force=true`);
});
