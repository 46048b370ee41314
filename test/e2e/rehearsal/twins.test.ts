/** Twins of stored configurations: a job with the usual driver pushes to one and reads it back. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtins } from "../../../plugins/index.ts";
import type { PlatformPlugin } from "../../../src/plugin/index.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";
import { type Simulator, startSimulator } from "../../../src/testkit/simulator/simulator.ts";
import { simulated } from "../devices.ts";
import { loggedIn, type Operator } from "../terminal.ts";
import { systems } from "./twin-systems.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe.each(systems)("the twin of $platform", ({ platform, configuration, lines, shows, left, gone }) => {
  test("takes the lines of a push, and shows then what they leave", async () => {
    const device = await simulated(platform, { configuration, hostname: "inventory-name" });
    const connection_args = {
      host: "127.0.0.1",
      port: device.port,
      device_type: platform,
      username: device.username,
      password: device.password,
      secret: device.secret,
    };
    const job = { driver: "netmiko", connection_args };
    const before = await service.run({ ...job, command: shows });
    expect(before).toMatchObject({ status: "finished" });
    const pushed = await service.run({ ...job, config: lines });
    expect(pushed, JSON.stringify(pushed)).toMatchObject({ status: "finished", result: { type: "success" } });
    const after = await service.run({ ...job, command: shows });
    const text = JSON.stringify(after.result).replaceAll("\\n", "\n");
    for (const line of left) expect(text).toContain(line);
    for (const line of gone) expect(text).not.toContain(line);
    const asked = await service.run({ ...job, command: "show uptime of nothing" });
    expect(JSON.stringify(asked)).toContain("twin: it knows no answer to this command");
    await device.stop();
  });
});

describe("patchbay simulate --device", () => {
  const section = readFileSync("docs/guides/rehearsal.md", "utf8").split("## A twin to try on")[1] ?? "";
  const login = { username: "admin", password: "canary-device-9", secret: "canary-enable-9" };
  const community = "canary-community-9";
  let real: Simulator;
  let someone: Operator;
  beforeAll(async () => {
    const platform = builtins.find(
      (plugin): plugin is PlatformPlugin => plugin.kind === "platform" && plugin.name === "arista_eos",
    );
    if (platform === undefined) throw new Error("there is no EOS");
    real = await startSimulator({ platform, ...login, hostname: "r1" });
    real.device.configuration.add([], `snmp-server community ${community} ro`);
    await service.call("PUT", "/credential/lab", login);
    const device = {
      ...{ name: "r1", host: "127.0.0.1", port: real.port, driver: "netmiko", platform: "arista_eos" },
      credential: { name: "file", ref: "lab" },
    };
    expect((await service.call("POST", "/inventory/device", { devices: [device] })).status).toBe(200);
    someone = await loggedIn(service.url, adminKey);
    const taken = await someone.piped(["history", "take", "r1", "--wait"]);
    expect(taken).toMatchObject({ code: 0 });
  });
  afterAll(() => real.stop());

  /** As the guide has it, on a port that is free. */
  async function twin(...more: readonly string[]) {
    const [, given = ""] = /^patchbay (simulate --device r1) --port 2222$/m.exec(section) ?? [];
    expect(given).not.toBe("");
    const run = someone.at([...given.split(" "), "--port", "0", ...more], { columns: 500 });
    await run.sees(/listens on port \d+/);
    const port = Number(/listens on port (\d+)/.exec(run.text())?.[1]);
    const connection_args = {
      ...{ host: "127.0.0.1", port, device_type: "arista_eos" },
      ...{ username: "admin", password: "admin", secret: "enable" },
    };
    const ask = async (what: object) =>
      JSON.stringify(await service.run({ driver: "netmiko", connection_args, ...what }));
    return { run, ask, shown: () => ask({ command: "show running-config" }) };
  }

  test("is the device as the history has it, without its secrets, and leaves the device alone", async () => {
    const { run, ask, shown } = await twin();
    expect(run.text()).toContain("The twin of r1 with its version 1 (arista_eos)");
    expect(run.text()).toContain("ssh -p");
    const before = await shown();
    expect(before).toContain("description server 17");
    expect(before).toMatch(/snmp-server community <secret \w+> ro/);
    expect(before).not.toContain("canary");
    const pushed = await ask({
      config: ["interface Ethernet1", "description moved", "frobnicate the gizmo"],
    });
    expect(pushed).toContain("twin: nothing is known of such a line: it is kept as it stands");
    expect(await shown()).toContain("description moved");
    expect(real.device.configuration.lines().join("\n")).toContain("description server 17");
    run.type("\x03");
    expect(await run.ended).toBe(0);
  });

  test("has another version, and nothing for who may not read it", async () => {
    real.device.configuration.add(["interface Ethernet1"], "description newer");
    expect(await someone.piped(["history", "take", "r1", "--wait"])).toMatchObject({ code: 0 });
    const [old, latest] = [await twin("--version", "1"), await twin()];
    expect(await old.shown()).not.toContain("newer");
    expect(await latest.shown()).toContain("description newer");
    for (const { run } of [old, latest]) {
      run.type("\x03");
      await run.ended;
    }
    const simulate = (who: Operator, ...args: string[]) => who.piped(["simulate", ...args]);
    expect(await simulate(someone, "--device", "r1", "--version", "77")).toMatchObject({
      code: 1,
      err: expect.stringContaining("77"),
    });
    expect(await simulate(someone, "--device", "nowhere")).toMatchObject({ code: 1, out: "" });
    expect(await simulate(someone, "--device", "r1", "--count", "2")).toMatchObject({ code: 1 });
    expect(await simulate(someone, "--device", "r1", "--platform", "nokia_sros")).toMatchObject({
      code: 1,
      err: expect.stringContaining("it has no twins"),
    });
    const { body } = await service.call<{ key: string }>("POST", "/key", { name: "blind", scope: "read" });
    const blind = await loggedIn(service.url, body.data.key);
    const refused = await simulate(blind, "--device", "r1");
    expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining("history") });
  });
});
