/** Passwords that are ordinary words spoil neither outputs nor messages, and the job says so. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

let service: Service;
let device: SimulatedDevice;

beforeAll(async () => {
  [service, device] = await Promise.all([
    startService(),
    simulated("cisco_ios", { username: "admin", password: "admin", secret: "cisco" }),
  ]);
});
afterAll(() => Promise.all([service.stop(), device.stop()]));

const connection = (more: object = {}) => ({
  ...{ host: "127.0.0.1", port: device.port, device_type: "cisco_ios" },
  ...{ username: "admin", password: "admin", secret: "cisco", ...more },
});

test("a configuration keeps login names and words, and a password stands masked in its place", async () => {
  const config = ["username admin privilege 15", "interface Loopback1", "description cisco lab"];
  const pushed = await service.run({ driver: "netmiko", connection_args: connection(), config });
  expect(pushed).toMatchObject({ status: "finished", config });
  const command = "show running-config";
  const job = await service.run({ driver: "netmiko", connection_args: connection(), command });
  const output = String(job.result?.retval?.[command]);
  expect(output).toContain("username admin privilege 15");
  expect(output).toContain("description cisco lab");
  expect(job.warnings?.filter((text) => /masked only where a password stands/.test(text))).toHaveLength(1);
});

test("a failed login names the account", async () => {
  const body = {
    driver: "netmiko",
    connection_args: connection({ username: "cisco" }),
    command: "show version",
  };
  const job = await service.run(body);
  expect(job.result?.error).toMatchObject({
    type: "AuthenticationFailed",
    message: expect.stringContaining("cisco@127.0.0.1"),
  });
});

test("a strong password is masked wherever it shows, also in the request", async () => {
  const strong = "Str0ng-canary-26";
  const body = {
    driver: "netmiko",
    connection_args: connection({ secret: strong }),
    config: [`username x secret ${strong}`, `description ${strong}`],
  };
  const job = await service.run(body);
  expect(JSON.stringify(job)).not.toContain(strong);
});
