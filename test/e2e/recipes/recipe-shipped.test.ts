/** The recipes that come with the program, on simulated devices that reload, take files and change their login. */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunRecord } from "../../../src/api/recipes/recipe.ts";
import { readYaml } from "../../../src/base/yaml/yaml-read.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { labEntry, type SimulatedDevice, simulated } from "../devices.ts";

const login = { username: "admin", password: "canary-login-9", secret: "canary-enable-9" };
const macTable = (port: string, to: string) => `          Mac Address Table
-------------------------------------------

Vlan    Mac Address       Type        Ports
----    -----------       --------    -----
  20    0011.2233.4455    DYNAMIC     ${port}
  20    ${to}    DYNAMIC     Gi1/0/24
Total Mac Addresses for this criterion: 2`;
const neighbor = (local: string, name: string) => `------------------------------------------------
Local Intf: ${local}
Chassis id: 0026.980a.3c01
Port id: Gi1/0/24
Port Description: uplink
System Name: ${name}

System Description: 
Cisco IOS Software, C3750E Software

Time remaining: 109 seconds
System Capabilities: B,R
Enabled Capabilities: B,R
Management Addresses:
    IP: 192.0.2.2
Auto Negotiation - supported, enabled
Physical media capabilities:
    1000baseT(FD)
Media Attachment Unit type: 30
Vlan ID: 1


Total entries displayed: 1`;
const arp = `Protocol  Address          Age (min)  Hardware Addr   Type   Interface
Internet  192.0.2.7               4   0011.2233.4455  ARPA   Vlan20
Internet  192.0.2.1               -   0026.980a.3c01  ARPA   Vlan20`;

const port = (name: string, up: boolean, last: string, packets: number) =>
  `${name} is ${up ? "up" : "down"}, line protocol is ${up ? "up (connected)" : "down (notconnect)"} 
  Hardware is Gigabit Ethernet, address is 442b.03f1.a281 (bia 442b.03f1.a281)
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec, 
     reliability 255/255, txload 1/255, rxload 1/255
  Encapsulation ARPA, loopback not set
  Keepalive set (10 sec)
  Last input ${last}, output never, output hang never
  Last clearing of "show interface" counters never
  5 minute input rate 0 bits/sec, 0 packets/sec
  5 minute output rate 0 bits/sec, 0 packets/sec
     ${packets} packets input, 0 bytes, 0 no buffer
     ${packets} packets output, 0 bytes, 0 underruns`;
const ports = [
  port("GigabitEthernet1/0/1", true, "00:00:01", 700),
  port("GigabitEthernet1/0/2", false, "never", 0),
  port("GigabitEthernet1/0/3", false, "7w2d", 12),
  port("GigabitEthernet1/0/4", false, "1w0d", 12),
].join("\n");
const ospf = (full: number) =>
  ["Neighbor ID     Pri   State           Dead Time   Address         Interface"]
    .concat(
      Array.from(
        { length: full },
        (_, at) =>
          `192.0.2.${at + 1}       1   FULL/DR         00:00:31    10.0.0.${at + 1}        Gi1/0/${at + 1}`,
      ),
    )
    .join("\n");
const costIn = (lines: readonly string[]) =>
  lines.flatMap((line) => /^ +ip ospf cost (\d+)$/.exec(line)?.[1] ?? []).at(-1) ?? "1";
const ospfInterface = (lines: readonly string[]) =>
  `GigabitEthernet1/0/1 is up, line protocol is up \n  Internet Address 10.0.0.2/30, Area 0\n  Process ID 1, Router ID 10.9.9.9, Network Type POINT_TO_POINT, Cost: ${costIn(lines)}`;
const lastLines: (readonly string[])[] = [];
const ospfCost = (at: number) => costIn(lastLines[at] ?? []);

let service: Service;
const devices: SimulatedDevice[] = [];

beforeAll(async () => {
  service = await startService({});
  await service.call("PUT", "/credential/lab", login);
  const list = [];
  for (const [at, name] of ["sw1", "sw2"].entries()) {
    const device = await simulated("cisco_ios", {
      ...{ ...login, hostname: name, system: { reloadMs: 500 } },
      shows: {
        "show ip arp": () =>
          at === 0 ? arp : "Protocol  Address          Age (min)  Hardware Addr   Type   Interface",
        "show mac address-table": () =>
          at === 0 ? macTable("Gi1/0/24", "0026.980a.3c02") : macTable("Gi1/0/7", "0026.980a.3c01"),
        "show interfaces": () => (at === 0 ? ports : port("GigabitEthernet1/0/1", true, "00:00:01", 700)),
        "show ip ospf neighbor": () => ospf(at === 0 ? 2 : 1),
        "show ip ospf interface GigabitEthernet1/0/1": (lines) => {
          lastLines[at] = lines;
          return ospfInterface(lines);
        },
        "show lldp neighbors detail": () => neighbor("Gi1/0/24", at === 0 ? "sw2" : "sw1"),
      },
    });
    devices.push(device);
    list.push(labEntry(name, device, "cisco_ios", { tags: ["lab"] }));
  }
  expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
  for (const file of readdirSync("recipes")) {
    const { value } = readYaml(readFileSync(`recipes/${file}`, "utf8"), "", "core");
    const { status, body } = await service.call("PUT", `/recipe/${file.replace(".yaml", "")}`, value);
    expect([file, status, body.code]).toEqual([file, 201, 200]);
  }
});
afterAll(async () => {
  await service.stop();
  for (const device of devices) await device.stop();
});

async function run(name: string, body: object): Promise<RunRecord> {
  const started = await service.call<RunRecord>("POST", `/recipe/${name}/run`, body);
  expect([started.status, started.body]).toEqual([201, expect.anything()]);
  const { id } = started.body.data;
  let last = started.body.data;
  const isOver = async () => {
    last = (await service.call<RunRecord>("GET", `/recipe/${name}/run/${id}`)).body.data;
    return last.ended_at !== null;
  };
  await expect.poll(isOver, { timeout: 120_000, interval: 100 }).toBe(true);
  return last;
}
const reported = ({ steps }: RunRecord, name = "report") => steps.find((step) => step.name === name)?.value;
/** It has finished, or why not. */
function finished(record: RunRecord): void {
  if (record.state !== "finished") throw new Error(`${record.reason}: ${JSON.stringify(shown(record))}`);
}
const shown = (record: RunRecord) => record.steps.map(({ name, state, reason }) => [name, state, reason]);

test("an address is found on the port where it is, over the uplinks of other switches", async () => {
  for (const address of ["192.0.2.7", "00:11:22:33:44:55"]) {
    const found = await run("find-address", { select: "tag:lab", parameters: { address } });
    finished(found);
    expect(reported(found)).toMatchObject([
      { device: "sw2", port: "Gi1/0/7", mac: "001122334455", found_by: "mac table", edge: true },
      ...[
        { device: "sw1", edge: false },
        { device: "sw1", edge: false },
      ],
    ]);
  }
}, 120_000);

const eosTable = (port: string) => `          Mac Address Table
------------------------------------------------------------------

Vlan    Mac Address       Type        Ports      Moves   Last Move
----    -----------       ----        -----      -----   ---------
  20    0011.2233.4466    DYNAMIC     ${port}       1       0:10:00 ago
Total Mac Addresses for this criterion: 1`;
const eosNeighbor = (name: string) => `Interface Ethernet24 detected 1 LLDP neighbors:

  Neighbor 444c.a8e4.1b02/Ethernet24, age 12 seconds
  Discovered 1 day, 2:03:04 ago; Last changed 1 day, 2:03:04 ago
  - Chassis ID type: MAC address (4)
    Chassis ID     : 444c.a8e4.1b02
  - Port ID type: Interface name(5)
    Port ID     : "Ethernet24"
  - Time To Live: 120 seconds
  - System Name: "${name}"`;

test("an address is found on switches of another system, whose tables are other ones", async () => {
  const list = [];
  for (const [name, host, port, other] of [
    ["leaf1", "127.0.0.21", "Et24", "leaf2"],
    ["leaf2", "127.0.0.22", "Et7", "leaf1"],
  ] as const) {
    const device = await simulated("arista_eos", {
      ...{ ...login, hostname: name },
      shows: {
        "show ip arp": () =>
          `Address         Age (sec)  Hardware Addr   Interface${name === "leaf1" ? "\n192.0.2.8         0:01:07  0011.2233.4466  Vlan20, Ethernet24" : ""}`,
        "show mac address-table": () => eosTable(port),
        "show lldp neighbors detail": () => eosNeighbor(other),
      },
    });
    devices.push(device);
    const place = { host, port: device.port, driver: "netmiko", platform: "arista_eos" };
    list.push({ name, ...place, credential: { name: "file", ref: "lab" }, tags: ["leaf"] });
  }
  expect((await service.call("POST", "/inventory/device", { devices: list })).status).toBe(200);
  const found = await run("find-address", { select: "tag:leaf", parameters: { address: "192.0.2.8" } });
  finished(found);
  expect(reported(found)).toMatchObject([
    { device: "leaf2", port: "Et7", mac: "001122334466", found_by: "mac table", edge: true },
    ...[
      { device: "leaf1", edge: false },
      { device: "leaf1", edge: false },
    ],
  ]);
}, 120_000);

test("a password is changed, and a device is switched only after a login with it", async () => {
  const parameters = { account: "admin", new_credential: "lab-2", new_password: "canary-new-pass-1" };
  const body = { select: "tag:lab", parameters: { ...parameters, enable_secret: login.secret } };
  const changed = await run("change-password", body);
  finished(changed);
  expect(reported(changed)).toEqual([
    { device: "sw1", password: "new" },
    { device: "sw2", password: "new" },
  ]);
  expect(JSON.stringify(changed)).not.toContain("canary");
  for (const name of ["sw1", "sw2"]) {
    const { body: read } = await service.call<object>("GET", `/inventory/device/${name}`);
    expect(read.data).toMatchObject({ credential: { ref: "lab-2" } });
  }
  const other = { ...body, parameters: { ...body.parameters, new_password: "canary-other-pass" } };
  const refused = await run("change-password", other);
  expect([refused.state, refused.steps[0]?.state]).toEqual(["failed", "failed"]);
  expect((await run("change-password", body)).state).toBe("finished");
}, 120_000);

test("two devices are compared, by their trees and their facts", async () => {
  const lines = ["router bgp 65000", " address-family ipv4", "  neighbor 192.0.2.9 activate"];
  await service.call("POST", "/device/execute", { device: "sw2", config: lines }, { Prefer: "wait=60" });
  const compared = await run("compare-devices", { parameters: { left: "sw1", right: "sw2" } });
  finished(compared);
  const report = reported(compared);
  expect(report).toEqual(
    expect.arrayContaining([
      { what: "line", left: "hostname sw1", right: "" },
      { what: "line", left: "", right: "hostname sw2" },
      { what: "line", left: "", right: "router bgp 65000" },
      { what: "router bgp 65000", left: "", right: " address-family ipv4" },
      { what: "router bgp 65000 / address-family ipv4", left: "", right: "  neighbor 192.0.2.9 activate" },
      expect.objectContaining({ what: "fact host_key" }),
    ]),
  );
  expect(report).not.toContainEqual(expect.objectContaining({ what: "fact seen_at" }));
}, 120_000);

test("what an operation has changed is read before and after it", async () => {
  const body = { devices: ["sw1"], parameters: { lines: "interface Loopback9\n description made here" } };
  const early = await service.call("POST", "/recipe/backup-around/run", body);
  expect([early.status, early.body.message]).toEqual([409, expect.stringContaining("dry run first")]);
  const dry = await run("backup-around", { ...body, dry_run: true });
  finished(dry);
  expect(dry.dry_run).toBe(true);
  expect(devices[0]?.commands()).not.toContain("interface Loopback9");
  const done = await run("backup-around", body);
  finished(done);
  expect(reported(done)).toEqual([
    {
      ...{ device: "sw1", pushed: "finished", removed: [] },
      added: ["interface Loopback9", " description made here"],
    },
  ]);
}, 120_000);

test("outputs for a support are collected, and a configuration beside them", async () => {
  const parameters = { commands: ["show version", "show inventory"] };
  const collected = await run("collect-support", { select: "tag:lab", parameters });
  finished(collected);
  expect(reported(collected)).toMatchObject([{ device: "sw1", commands: 2 }, { device: "sw2" }]);
}, 120_000);

test("devices are taken to an intent by a change", async () => {
  const intent = {
    select: "tag:lab",
    text: "ntp server 192.0.2.123\nbanner motd ^authorized only^",
    sections: [
      { name: "ntp", match: ["ntp server *"], mode: "exact" },
      { name: "banner", match: ["banner motd *"], mode: "exact" },
    ],
  };
  expect((await service.call("PUT", "/intent/base", intent)).status).toBe(201);
  const taken = await run("to-intent", { select: "tag:lab", parameters: { intent: "base", votes: 0 } });
  finished(taken);
  expect(reported(taken)).toMatchObject([{ state: "compliant" }, { state: "compliant" }]);
  const again = await run("to-intent", { select: "tag:lab", parameters: { intent: "base", votes: 0 } });
  finished(again);
  expect(again.steps.find(({ name }) => name === "mend")?.state).toBe("skipped");
}, 180_000);

test("an intent by the name of a template is compared anew with its next version", async () => {
  const template = (server: string) => ({ engine: "jinja2", template: `ntp server ${server}` });
  await service.call("PUT", "/template/ntp", template("192.0.2.123"));
  const intent = {
    ...{ select: "tag:lab", rendering: { name: "jinja2", template: "template://ntp" } },
    sections: [{ name: "ntp", match: ["ntp server *"], mode: "exact" }],
  };
  expect((await service.call("PUT", "/intent/named", intent)).status).toBe(201);
  await service.call("POST", "/history/take", { select: "tag:lab" }, { Prefer: "wait=60" });
  await service.call("POST", "/drift/run", { intents: ["named"] });
  const states = async () => {
    const rows = await service.call<{ state: string }[]>("GET", "/drift?intent=named");
    return rows.body.data.map(({ state }) => state);
  };
  await expect.poll(states, { timeout: 60_000 }).toEqual(["compliant", "compliant"]);
  await service.call("PUT", "/template/ntp", template("192.0.2.124"));
  await expect.poll(states, { timeout: 60_000 }).toEqual(["drifted", "drifted"]);
}, 180_000);

test("an image is sent, its hash is computed there, and the device reloads with it", async () => {
  const image = "c3750e-universalk9-mz.152-4.E10.bin";
  const sent = await fetch(`${service.url}/file/${image}`, {
    ...{ method: "PUT", body: "the next system", headers: { "X-API-KEY": service.key } },
  });
  expect(sent.status).toBeLessThan(300);
  const body = { select: "tag:lab", parameters: { image, version: "15.2(4)E10" } };
  finished(await run("upgrade-ios", { ...body, dry_run: true }));
  const upgraded = await run("upgrade-ios", body);
  finished(upgraded);
  expect(reported(upgraded)).toMatchObject([
    { device: "sw1", new_version: true, ok: true },
    { device: "sw2", new_version: true, ok: true },
  ]);
  const again = await run("upgrade-ios", body);
  finished(again);
  expect(again.steps.find(({ name }) => name === "transfer")?.state).toBe("skipped");
  // Tests before have added others.
  expect(devices.slice(0, 2).map((device) => device.reloads())).toEqual([1, 1]);
}, 300_000);

test("ports that are down and have moved nothing are listed", async () => {
  const unused = await run("unused-ports", { select: "tag:lab", parameters: { seconds: 1 } });
  finished(unused);
  expect(reported(unused)).toMatchObject([
    { device: "sw1", port: "GigabitEthernet1/0/2", last_input: "never" },
    { device: "sw1", port: "GigabitEthernet1/0/3", last_input: "7w2d" },
  ]);
}, 120_000);

test("a link is drained only beside another one, and returned with its cost", async () => {
  const body = { devices: ["sw1"], parameters: { interface: "GigabitEthernet1/0/1", action: "drain" } };
  finished(await run("drain-link", body));
  expect(ospfCost(0)).toBe("65535");
  const back = { ...body, parameters: { ...body.parameters, action: "return", cost: 20 } };
  const returned = await run("drain-link", back);
  finished(returned);
  expect(ospfCost(0)).toBe("20");
  expect(returned.steps.find(({ name }) => name === "report")?.text).toContain("in use again");
  const alone = await run("drain-link", { ...body, devices: ["sw2"] });
  expect([alone.state, alone.steps[0]?.state]).toEqual(["failed", "failed"]);
  expect(devices[1]?.commands()).not.toContain("ip ospf cost 65535");
}, 120_000);
