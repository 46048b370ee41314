/**
 * Pushes that break something real: the loss of a BGP session between two FRR routers is detected, and the
 * lines are rolled back.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type FrrPeers, startFrrPeers } from "../../../scripts/testbed/frr-peers.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { said, watch } from "../jobs/events.ts";

const soon = { timeout: 60_000, interval: 200 };
/** Established sessions: their column contains the number of prefixes. */
const template = `Value PEER (\\S+)
Value PREFIXES (\\d+)

Start
  ^\${PEER}\\s+4\\s+\\d+\\s+\\d+\\s+\\d+\\s+\\d+\\s+\\d+\\s+\\d+\\s+\\S+\\s+\${PREFIXES}\\s+\\d+ -> Record
`;
const sessionsStay = {
  name: "sessions stay up",
  command: "show bgp summary",
  parse: { name: "textfsm", template },
  expression: "$count($)",
  at_least: 1,
  relative: true,
};

describe.skipIf(needs("frr"))("a BGP session on FRR", () => {
  let service: Service;
  let lab: FrrPeers;
  let before: string;
  beforeAll(async () => {
    [lab, service] = await Promise.all([startFrrPeers(), startService()]);
    before = lab.router.vtysh("show running-config");
  });
  afterAll(async () => {
    await service.stop();
    await lab.stop();
  });

  const request = (config: readonly string[], checks: object, more: object = {}) => ({
    driver: "netmiko",
    connection_args: {
      device_type: "frr",
      host: lab.router.host,
      port: lab.router.port,
      username: lab.router.user,
      password: lab.router.password,
    },
    config,
    checks: { before: [{ command: "show bgp summary", contains: "10.77.0.2" }], ...checks },
    ...more,
  });
  const push = (...asked: Parameters<typeof request>) => service.run(request(...asked));

  async function asBefore(): Promise<void> {
    expect(lab.router.vtysh("show running-config")).toBe(before);
    await expect.poll(lab.established, soon).toBe(true);
  }

  test.each([
    ["another number of the peer", ["router bgp 65001", "neighbor 10.77.0.2 remote-as 65099"]],
    ["the whole process taken away", ["no router bgp 65001"]],
    [
      "filters, a shutdown, and a name",
      [
        ...[
          "ip prefix-list NONE seq 5 deny any",
          "route-map BAD deny 10",
          "match ip address prefix-list NONE",
        ],
        ...["exit", "router bgp 65001", "neighbor 10.77.0.2 shutdown", "neighbor 10.77.0.2 description gone"],
        ...["address-family ipv4 unicast", "neighbor 10.77.0.2 route-map BAD in", "no network 10.78.1.0/24"],
        ...["exit", "exit", "ip route 10.79.0.0/16 10.77.0.2"],
      ],
    ],
  ])("%s: detected by the check after the push and rolled back", async (_, config) => {
    const job = await push(config, { after: [sessionsStay], settle_seconds: 1 });
    expect(job.checks).toMatchObject({
      pushed: true,
      undone: true,
      how: "difference",
      before: [{ ok: true }, { name: "sessions stay up", value: 1 }],
      after: [{ name: "sessions stay up", ok: false, value: 0 }],
    });
    expect(job).toMatchObject({ status: "failed", result: { error: { type: "CheckFailed" } } });
    await asBefore();
  });

  test("keeps a harmless push and saves it after its checks", async () => {
    const config = ["router bgp 65001", "neighbor 10.77.0.2 description core"];
    const job = await push(config, { after: [sessionsStay] }, { driver_args: { save: true } });
    expect(job).toMatchObject({
      status: "finished",
      checks: { pushed: true, undone: false, after: [{ ok: true, value: 1 }] },
    });
    expect(lab.router.savedConfiguration()).toContain("description core");
    before = lab.router.vtysh("show running-config");
  });

  test("rolls back the lines before a rejected one", async () => {
    const config = ["ip route 10.80.0.0/16 blackhole", "bogus line"];
    const job = await push(config, { after: [sessionsStay] });
    expect(job).toMatchObject({
      status: "failed",
      result: { error: { type: "CommandError", command: "bogus line" } },
      checks: { pushed: false, message: expect.stringContaining("left nothing on the device") },
    });
    await asBefore();
  });

  test("rolls back when cancelled while settling", async () => {
    const held = request(
      ["ip route 10.81.0.0/16 blackhole"],
      { after: [sessionsStay], settle_seconds: 500 },
      { ttl: 900 },
    );
    const asked = await service.call<{ id: string }>("POST", "/device/execute", held);
    // The service has read what the device has become, which is the end of the push: cancelled before, it knows less.
    await watch(service, asked.body.data.id, (seen) => /\(config\)# end\n.*\nend\nR1# /s.test(said(seen)));
    expect(lab.router.vtysh("show running-config")).toContain("10.81.0.0/16");
    await service.call("DELETE", `/job?id=${asked.body.data.id}&force=true`);
    const job = await service.ended(asked.body.data.id);
    expect(job.checks).toMatchObject({ undone: true });
    await asBefore();
  });
});
