/** What several NAPALM methods share: one session and one request each; their raw responses on request. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { login, type ReplayDevice, replayCaseOf, startReplay } from "../../scripts/testbed/replay.ts";
import type { JobRecord } from "../../src/model/job.ts";
import { type Service, startService } from "../../src/testkit/service.ts";

let service: Service;
let device: ReplayDevice;
beforeAll(async () => {
  device = await startReplay(replayCaseOf("eos/get_interfaces_ip/normal"));
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  await device.close();
});

const run = (more: object): Promise<JobRecord> =>
  service.run({
    driver: "napalm",
    connection_args: {
      device_type: "eos",
      hostname: "127.0.0.1",
      username: login.username,
      password: login.password,
      optional_args: { port: device.http_port, transport: "http", secret: login.secret },
    },
    ...more,
  });
const askedFor = (command: string) =>
  device.log.filter(({ request }) => JSON.stringify(request).includes(`"${command}"`)).length;

test("sends a command that two methods share only once", async () => {
  const before = askedFor("show ip interface");
  const command = ["get_interfaces_ip", "compliance_report", "get_vlans"];
  const validation_source = [
    { get_interfaces_ip: { Vlan100: { ipv4: { "192.168.233.1": { prefix_length: "<25" } } } } },
  ];
  const job = await run({ command, driver_args: { kwargs: { compliance_report: { validation_source } } } });
  expect(job).toMatchObject({ status: "finished", result: { partial: true } });
  expect(job.result?.retval).toMatchObject({
    compliance_report: { complies: true, skipped: [] },
    get_vlans: { error: { type: "CommandError" } },
  });
  expect(askedFor("show ip interface") - before).toBe(1);
});

test("raw returns the device's answers by method and command", async () => {
  const job = await run({ command: ["get_interfaces_ip", "get_arp_table"], driver_args: { raw: true } });
  expect(job.result?.retval?.raw).toMatchObject({
    get_interfaces_ip: {
      "show ip interface | json": { interfaces: { Vlan100: { vrf: "default" } } },
      "show ipv6 interface | json": { interfaces: { Vlan100: { state: "enabled" } } },
    },
    get_arp_table: {},
  });
});

describe("an invalid validation source", () => {
  test("is rejected with its place at submission", async () => {
    const answer = await service.call("POST", "/device/execute", {
      driver: "napalm",
      connection_args: { device_type: "eos", hostname: "127.0.0.1", username: "a", password: "b" },
      command: "compliance_report",
      driver_args: { validation_source: [{ get_facts: { uptime: "<soon" } }] },
    });
    expect([answer.status, answer.body.data]).toEqual([
      422,
      [expect.objectContaining({ path: "driver_args.kwargs.validation_source.0.get_facts.uptime" })],
    ]);
  });
});

test("a connection test accepts the system's long name", async () => {
  const { body } = await service.call("POST", "/device/test-connection", {
    driver: "napalm",
    connection_args: {
      device_type: "arista_eos",
      hostname: "127.0.0.1",
      username: login.username,
      password: login.password,
      optional_args: { port: device.http_port, transport: "http" },
    },
  });
  expect(body.data).toMatchObject({
    success: true,
    device_info: { device_type: "eos", prompt: expect.stringMatching(/#$/) },
  });
});
