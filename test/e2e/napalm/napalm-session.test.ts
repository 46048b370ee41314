/** What several NAPALM methods share: one session and one request each; their raw responses on request. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type AnsweringDevice, answersFrom, login } from "../../drivers/napalm/answering/answers.ts";
import { startAnswering } from "../../drivers/napalm/answering/device.ts";

let service: Service;
let device: AnsweringDevice;
const vlan100 = {
  name: "Vlan100",
  vrf: "default",
  interfaceAddress: {
    primaryIp: { address: "192.168.233.1", maskLen: 24 },
    secondaryIps: {},
    secondaryIpsOrderedList: [],
    virtualIp: { address: "0.0.0.0", maskLen: 0 },
    broadcastAddress: "255.255.255.255",
    dhcp: false,
  },
};
const vlan100v6 = { name: "Vlan100", state: "enabled", addresses: [], linkLocal: { address: "fe80::1" } };
beforeAll(async () => {
  device = await startAnswering(
    "eos",
    answersFrom({
      "show ip interface": JSON.stringify({ interfaces: { Vlan100: vlan100 } }),
      "show ipv6 interface": JSON.stringify({ interfaces: { Vlan100: vlan100v6 } }),
    }),
  );
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
      ...login,
      optional_args: { port: device.httpPort, transport: "http" },
    },
    ...more,
  });
const askedFor = (command: string) => device.asked.filter((one) => one === command).length;

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
      ...login,
      optional_args: { port: device.httpPort, transport: "http" },
    },
  });
  expect(body.data).toMatchObject({
    success: true,
    device_info: { device_type: "eos", prompt: expect.stringMatching(/#$/) },
  });
});
