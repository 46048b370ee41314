/** `device_type` "autodetect": the service detects the device's platform and then uses it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtins } from "../../../plugins/index.ts";
import type { PlatformPlugin } from "../../../src/plugin/index.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { simulated } from "../devices.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A simulated device with given responses to some commands. */
async function device(
  platform: string,
  answers: Record<string, string>,
  transport: "ssh" | "telnet" = "ssh",
) {
  const folder = mkdtempSync(join(tmpdir(), "autodetect-"));
  for (const [command, answer] of Object.entries(answers))
    writeFileSync(join(folder, `${command.replaceAll(" ", "_")}.txt`), answer);
  if (platform === "linux") writeFileSync(join(folder, "show_version.txt"), "bash: show: command not found");
  const one = await simulated(platform, { transcripts: folder, transport });
  const connection = {
    device_type: transport === "ssh" ? "autodetect" : "autodetect_telnet",
    host: "127.0.0.1",
    port: one.port,
    username: one.username,
    password: one.password,
    secret: one.secret,
  };
  const stop = async () => {
    await one.stop();
    rmSync(folder, { recursive: true });
  };
  return { ...one, connection, stop };
}

const run = (connection: object, more: object) =>
  service.run({ driver: "netmiko", connection_args: connection, options: { ttl: 120 }, ...more });

test.each([
  ["arista_eos", "show version", "Arista vEOS-lab\nHardware version: 4.1"],
  ["juniper_junos", "show version", "Hostname: R1\nModel: vmx\nJUNOS OS Kernel 64-bit [20]"],
  ["huawei", "display version", "Huawei Versatile Routing Platform Software\nVRP (R) software"],
  ["cisco_nxos", "show version", "Cisco Nexus Operating System (NX-OS) Software"],
  [
    "cisco_wlc",
    "show sysinfo",
    "Manufacturer's Name.......... Cisco\nProduct Name........... Cisco Controller",
  ],
  ["linux", "uname -a", "Linux R1 6.1.0 #1 SMP x86_64 GNU/Linux"],
  // A disclaimer, and a key to press, come before the prompt.
  ["fortinet", "get system status", "Version: FortiGate-VM64 v7.2.5,build1517,230606 (GA.F)"],
  ["hp_procurve", "show version", "Image stamp:    /sw/code/build/swh(s01)"],
] as const)("%s by `%s`", async (name, command, says) => {
  const one = await device(name, { [command]: says });
  try {
    const job = await run(one.connection, { command });
    expect(job.result?.retval).toEqual({ [command]: says });
    const tried = await service.call("POST", "/device/test-connection", {
      driver: "netmiko",
      connection_args: one.connection,
    });
    expect(tried.body.data).toMatchObject({ success: true, device_info: { device_type: name } });
  } finally {
    await one.stop();
  }
});

test("also works over Telnet", async () => {
  const says = "Cisco Nexus Operating System (NX-OS) Software";
  const one = await device("cisco_nxos", { "show version": says }, "telnet");
  try {
    const job = await run(one.connection, { command: "show version" });
    expect(job.result?.retval).toEqual({ "show version": says });
  } finally {
    await one.stop();
  }
});

test("pushes configuration as the detected platform; a kept session is not detected again", async () => {
  const one = await device("cisco_ios", { "show version": "Cisco IOS Software, C2900 Software" });
  try {
    const connection = { ...one.connection };
    const pinned = { options: { queue_strategy: "pinned", ttl: 30 } };
    const job = await run(connection, { config: ["interface Loopback0", "description found"], ...pinned });
    expect(job.status).toBe("finished");
    expect(one.commands()).toContain("configure terminal");
    await run(connection, { command: "show clock", ...pinned });
    expect(one.commands().filter((line) => line === "show version")).toHaveLength(1);
  } finally {
    await one.stop();
  }
});

test("looks up templates by the detected platform", async () => {
  const one = await device("arista_eos", {
    "show version": "Arista vEOS-lab\nSoftware image version: 4.30.1F\nUptime: 1 week",
    "show vlan": `VLAN  Name                             Status    Ports
----- -------------------------------- --------- -------------------------------
1     default                          active    Et1, Et2
10    users                            active    Et3`,
  });
  try {
    const job = await run(one.connection, { command: "show vlan", parsing: { name: "textfsm" } });
    expect(job.result?.retval?.["show vlan"]).toMatchObject([{ vlan_id: "1" }, { vlan_id: "10" }]);
  } finally {
    await one.stop();
  }
});

test("names an unrecognised device and the commands it was asked", async () => {
  const one = await device("cisco_ios", { "show version": "Router of somebody, release 1" });
  try {
    const job = await run(one.connection, { config: "interface Loopback0" });
    expect(job.result?.error).toMatchObject({
      type: "DriverError",
      message: expect.stringMatching(/127\.0\.0\.1 was not recognised.*device_type.*`show version`/s),
    });
    expect(one.commands()).not.toContain("configure terminal");
  } finally {
    await one.stop();
  }
});

test("no two platforms match the same words", () => {
  const told = builtins
    .filter((plugin): plugin is PlatformPlugin => plugin.kind === "platform")
    .flatMap((platform) => (platform.detect ?? []).map(({ send, says }) => `${send}: ${says.source}`));
  expect(told.filter((one, at) => told.indexOf(one) !== at)).toEqual([]);
  expect(told.length).toBeGreaterThan(40);
});
