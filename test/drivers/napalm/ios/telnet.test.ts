/** ios over Telnet: the same CLI, with or without privileges. */
import { afterAll, beforeAll, expect, test } from "vitest";
import ios from "../../../../plugins/drivers/napalm/systems/ios/system.ts";
import cisco from "../../../../plugins/platforms/cisco.ts";
import { type Simulator, startSimulator } from "../../../../src/testkit/simulator/simulator.ts";
import { job, openOn, password } from "../open.ts";

const secret = "word-napalm-7";
let device: Simulator;
beforeAll(async () => {
  const platform = cisco.find(({ name }) => name === "cisco_ios");
  if (platform === undefined) throw new Error("there is no platform cisco_ios");
  device = await startSimulator({ platform, transport: "telnet", password, secret, hostname: "R7" });
});
afterAll(() => device.stop());

const open = (more: object) =>
  openOn(ios, { optional_args: { transport: "telnet", port: device.port, secret, ...more } }, job());

test("an ios session over Telnet is privileged", async () => {
  const session = await open({});
  try {
    expect(await session.describe(job())).toMatchObject({ prompt: "R7#" });
    expect(await session.cli("show version", job())).toContain("Cisco IOS Software");
    await expect(session.cli("bogus", job())).rejects.toMatchObject({ kind: "CommandError" });
    expect(await session.alive(job())).toBe(true);
  } finally {
    await session.close();
  }
});

test("an ios session over Telnet with `force_no_enable` is not privileged", async () => {
  const session = await open({ force_no_enable: true });
  try {
    expect(await session.describe(job())).toMatchObject({ prompt: "R7>" });
  } finally {
    await session.close();
  }
});
