/** Callers' mistakes with napalm are reported: an unused argument, a different device, a rejected request. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type AnsweringDevice, answersFrom, login } from "../../drivers/napalm/answering/answers.ts";
import { startAnswering } from "../../drivers/napalm/answering/device.ts";

let service: Service;
let router: AnsweringDevice;
beforeAll(async () => {
  router = await startAnswering(
    "ios",
    answersFrom({
      "show version": "Cisco IOS Software, C2960X Software, Version 15.2(4)E8\n",
      "show hosts": "",
      "show ip interface brief": "",
    }),
  );
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  await router.close();
});

const run = (device_type: string, more: object): Promise<JobRecord> =>
  service.run({
    driver: "napalm",
    connection_args: {
      device_type,
      hostname: "127.0.0.1",
      ...login,
      optional_args: { port: router.port },
    },
    options: { queue_strategy: "fifo" },
    ...more,
  });

test("warns about an argument that no method has", async () => {
  const job = await run("ios", { command: "get_facts", driver_args: { vrf: "red" } });
  expect(job).toMatchObject({
    status: "finished",
    warnings: [expect.stringMatching(/^driver_args.vrf is not an argument of any requested method/)],
  });
});

test("reports a command that the device rejects beside NAPALM's result", async () => {
  const job = await run("ios", { command: ["get_users", "get_facts"] });
  expect(job.result?.retval).toMatchObject({ get_users: {}, get_facts: { vendor: "Cisco" } });
  expect(job.warnings).toContainEqual(expect.stringMatching(/^the device refused "show run.*Invalid input/));
});

test.each([
  ["eos", /^127.0.0.1:\d+ does not speak TLS: check whether the port serves https\.$/],
  ["nxos", /^127.0.0.1:\d+ does not speak TLS/],
  ["junos", /did not open the subsystem netconf/],
  ["iosxr", /requires `xml agent tty`/],
  ["iosxr_netconf", /did not open the subsystem netconf/],
])("%s against an ios device: %s", async (system, message) => {
  const { result } = await run(system, { command: "get_facts" });
  expect(result?.error).toMatchObject({ type: "DriverError", message: expect.stringMatching(message) });
});

test.each([
  ["eos", {}],
  ["nxos", { transport: "http" }],
])("%s does not bypass a given jump host over HTTP", async (device_type, optional_args) => {
  const connection = { device_type, hostname: "127.0.0.1", username: "a", password: "b", optional_args };
  const body = {
    driver: "napalm",
    connection_args: { ...connection, proxy_host: "127.0.0.2" },
    command: "get_facts",
  };
  const answer = await service.call("POST", "/device/execute", body);
  expect(answer).toMatchObject({
    status: 422,
    body: { data: [{ path: "connection_args.proxy_host", message: expect.stringContaining("over HTTP") }] },
  });
});
