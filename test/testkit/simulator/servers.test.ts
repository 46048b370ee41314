/** Simulated servers of `patchbay simulate --driver`, spoken to by the drivers themselves and started as a user does. */
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import process from "node:process";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programOf } from "../../../src/testkit/service.ts";
import {
  type SimulatedNetconf,
  startNetconfSimulator,
} from "../../../src/testkit/simulator/servers/netconf.ts";
import { serverNames } from "../../../src/testkit/simulator/servers/server-names.ts";
import { startServer } from "../../../src/testkit/simulator/servers/servers.ts";
import { startSnmpAgent } from "../../../src/testkit/simulator/servers/snmp.ts";
import { type Opened, openOn as openNetconf } from "../../drivers/netconf/open.ts";
import { openOn as openSnmp } from "../../drivers/snmp/open.ts";
import { taskContext } from "../../plugin/context.ts";

const eth0 = (more: object) => ({ "ietf-interfaces:interfaces": { interface: [{ name: "eth0", ...more }] } });

describe("NETCONF", () => {
  let device: SimulatedNetconf;
  let driver: Opened;
  beforeAll(async () => {
    device = await startNetconfSimulator({ hostname: "nc-sim" });
    driver = await openNetconf({ host: "127.0.0.1", port: device.port, user: "admin", password: "admin" });
  });
  afterAll(async () => {
    await driver?.close();
    await device?.stop();
  });

  test("reads by filters, edits by operations, and refuses what its models lack", async () => {
    const filter = eth0({});
    expect(await driver.ask("get", { format: "object", filter, lists: ["interface"] })).toEqual(
      eth0({
        ...{ description: "uplink", type: "iana-if-type:ethernetCsmacd" },
        ...{ "oper-status": "up", "if-index": "1" },
      }),
    );
    const pushed = await driver.push(eth0({ description: "core" }));
    expect(pushed).toMatchObject({ committed: true });
    await driver.push(eth0({ description: null, "@description": { "ietf-netconf:operation": "delete" } }));
    expect(JSON.stringify(device.running())).not.toContain("core");
    await expect(driver.push(eth0({ bogus: "x" }))).rejects.toMatchObject({
      kind: "CommandError",
      detail: { outcome: "none" },
    });
    await expect(
      driver.push({ "ietf-interfaces:interfaces": { interface: [{ name: "typeless" }] } }),
    ).rejects.toMatchObject({ message: expect.stringContaining("type is missing") });
    expect(await driver.ask("compare")).toBe("");
    expect(await driver.facts()).toMatchObject({ prompt: "admin@nc-sim", os: "Patchbay simulator" });
  });

  test("a confirmed commit waits for its handle, and comes back when it is cancelled", async () => {
    const change = await driver.change(JSON.stringify(eth0({ description: "held" })));
    expect(JSON.stringify(device.running())).toContain("held");
    await change.undo(taskContext());
    expect(JSON.stringify(device.running())).not.toContain("held");
    const { handle } = await driver.push(eth0({ description: "kept" }), { revert_in: 60 });
    await expect(driver.operate("commit", { handle: "other" })).rejects.toMatchObject({
      kind: "CommandError",
    });
    await driver.operate("commit", { handle });
    expect(JSON.stringify(device.running())).toContain("kept");
  });
});

test("SNMP: reads, walks, sets as a whole, and says nothing to another community or to nonsense", async () => {
  const agent = await startSnmpAgent({ community: "lab", hostname: "agent-1" });
  const driver = await openSnmp({ host: "127.0.0.1", port: agent.port }, { community: "lab" });
  expect(await driver.one("sysName")).toBe("agent-1");
  expect(await driver.one("ifTable", { type: "table" })).toMatchObject([
    { ifDescr: "lo" },
    { ifDescr: "eth0", ifOperStatus: "up" },
    { ifDescr: "eth1", ifAdminStatus: "down" },
  ]);
  expect(Object.keys(Object(await driver.one("1.3.6.1", { type: "walk", bulk: 100 })))).toHaveLength(38);
  await driver.set({ sysContact: "ops", sysLocation: "here" });
  await expect(driver.set({ sysContact: "lost", "1.3.6.1.2.1.1.1.0": "x" })).rejects.toMatchObject({
    message: expect.stringContaining("notWritable for 1.3.6.1.2.1.1.1.0"),
  });
  expect(agent.taken).toEqual(["1.3.6.1.2.1.1.4.0=ops", "1.3.6.1.2.1.1.6.0=here"]);
  const socket = createSocket("udp4");
  for (let size = 0; size < 60; size++)
    socket.send(
      Buffer.from(Array.from({ length: size }, (_, at) => (at * 37 + size) & 255)),
      agent.port,
      "127.0.0.1",
    );
  const other = await openSnmp(
    { host: "127.0.0.1", port: agent.port },
    { community: "x", timeout: 0.2, repeats: 0 },
  );
  await expect(other.one("sysName")).rejects.toMatchObject({ kind: "ConnectionTimeout" });
  expect(await driver.one("sysContact")).toBe("ops");
  socket.close();
  for (const one of [driver, other]) await one.close();
  await agent.stop();
});

test("each driver has one, with the connection that reaches it", async () => {
  for (const name of serverNames) {
    const server = await startServer(name);
    expect(server.connection).toMatchObject({ host: "127.0.0.1", port: server.port });
    await server.stop();
  }
});

describe("patchbay simulate --driver", () => {
  const [program, ...begin] = programOf();
  const said = v.object({ driver: v.string(), connection_args: v.looseObject({ port: v.number() }) });

  test.each(serverNames)("%s starts, says how it is reached, and stops", async (name) => {
    const child = spawn(program, [...begin, "simulate", "--driver", name, "--hostname", "sim"], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
    });
    let output = "";
    for await (const chunk of child.stdout) {
      output += String(chunk);
      if (/^\{.*\}$/m.test(output)) break;
    }
    const line: unknown = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? "null");
    expect(v.parse(said, line)).toMatchObject({ driver: name });
    child.kill("SIGTERM");
    expect((await once(child, "close"))[0]).toBe(0);
  });

  test.each([
    [["--driver", "netmiko"], "Allowed choices are gnmi, netconf, restconf, snmp"],
    [["--driver", "snmp", "--fault", "stall"], "--fault cannot be combined with --driver"],
    [[], "Say what to simulate"],
  ])("%j is rejected in one sentence", async (options, sentence) => {
    const child = spawn(program, [...begin, "simulate", ...options], { stdio: ["ignore", "ignore", "pipe"] });
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const [code] = await once(child, "close");
    expect(code).not.toBe(0);
    expect(output).toContain(sentence);
  });
});
