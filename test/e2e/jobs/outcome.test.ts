/** A failure before the first line of a job reports neither an unknown outcome nor sent lines. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

let service: Service;
let device: SimulatedDevice;
beforeAll(async () => {
  [device, service] = await Promise.all([simulated("cisco_ios", { hostname: "SW1" }), startService()]);
});
afterAll(async () => {
  await service.stop();
  await device.stop();
});

const run = (more: object, secret?: string) =>
  service.run({
    driver: "netmiko",
    connection_args: {
      device_type: "cisco_ios",
      host: "127.0.0.1",
      port: device.port,
      username: device.username,
      password: device.password,
      ...(secret === undefined ? {} : { secret }),
    },
    options: { queue_strategy: "fifo" },
    ...more,
  });

test.each([
  ["no secret", undefined],
  ["a wrong one", "wrong-secret"],
])("a push that fails at enable without a secret has outcome none: %s", async (_, secret) => {
  const job = await run({ config: ["interface Loopback7", "description x"] }, secret);
  expect(job.status).toBe("failed");
  expect(job.result?.error).not.toHaveProperty("outcome");
  expect(job.result?.error).not.toHaveProperty("sent");
  expect(device.commands()).not.toContain("interface Loopback7");
});

test.each([
  "http://127.0.0.1:9/x.textfsm",
  "http://169.254.169.254/x",
  "file:///etc/passwd",
  "ftp://127.0.0.1/x",
])("rejects an unavailable template before contacting the device: %s", async (template) => {
  const before = device.connections();
  const job = await run({ command: "show version", parsing: { name: "textfsm", template } });
  expect(job.status).toBe("failed");
  expect(job.result?.error).not.toHaveProperty("outcome");
  expect(device.connections()).toBe(before);
});

test("a template that does not match keeps the output and a certain outcome", async () => {
  const template = 'Value A (\\d+)\n\nStart\n  ^nothing -> Error "never"\n  ^. -> Error "no such line"\n';
  const job = await run({ command: "show version", parsing: { name: "textfsm", template } });
  expect(job).toMatchObject({ status: "failed", result: { error: { type: "ParseError" } } });
  expect(job.result?.error).not.toHaveProperty("outcome");
  expect(String(job.result?.retval?.["show version"])).toContain("Cisco IOS Software");
});
