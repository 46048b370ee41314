/**
 * Runs the driver suite on every built-in and example, in a plain run with some of the cuts: in a whole run with the
 * compiled program, else from source.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import acmeExec from "../../examples/acme-exec/plugin.ts";
import { type AcmeDevice, startDevice } from "../../examples/acme-rest/device.ts";
import acmeRest from "../../examples/acme-rest/plugin.ts";
import { startUdpDevice, type UdpDevice } from "../../examples/acme-udp/device.ts";
import acmeUdp from "../../examples/acme-udp/plugin.ts";
import grpcHealth from "../../examples/grpc-health/plugin.ts";
import { type HealthServer, startHealthServer } from "../../examples/grpc-health/server.ts";
import gnmi from "../../plugins/drivers/gnmi/plugin.ts";
import netconf from "../../plugins/drivers/netconf/plugin.ts";
import netmiko from "../../plugins/drivers/netmiko/plugin.ts";
import paramiko from "../../plugins/drivers/paramiko/plugin.ts";
import pyeapi from "../../plugins/drivers/pyeapi/plugin.ts";
import restconf from "../../plugins/drivers/restconf/plugin.ts";
import snmp from "../../plugins/drivers/snmp/plugin.ts";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../scripts/testbed/openssh.ts";
import {
  type DriverSuiteOptions,
  driverSuite,
  type Relay,
  type Service,
  type SimulatedDevice,
  startRelay,
  startService,
  startUdpRelay,
} from "../../src/testkit/index.ts";
import { type GnmiDevice, startGnmiDevice } from "../../src/testkit/simulator/servers/gnmi/device.ts";
import { type RestconfDevice, startRestconfDevice } from "../../src/testkit/simulator/servers/restconf.ts";
import { type SnmpAgent, startSnmpAgent } from "../../src/testkit/simulator/servers/snmp.ts";
import {
  lineOf,
  type NetconfDevice,
  refusedOperation,
  startNetconfDevice,
} from "../drivers/netconf/device.ts";
import { type Switch, startSwitch } from "../drivers/pyeapi/switch.ts";
import { simulated } from "../e2e/devices.ts";
import { sampled } from "../support/sampled.ts";

const password = "canary-password-17";
const secret = "canary-enable-17";
const wrong = "canary-wrong-17";
/** The first step is the connection itself. */
const cuts: DriverSuiteOptions["cuts"] = (steps) =>
  sampled(steps, 5, (bytes) => (bytes === 0 ? "before a byte" : "after some"));
const suiteOf = (options: DriverSuiteOptions) => driverSuite({ ...options, cuts });

describe("the driver suite", () => {
  let service: Service;
  let cisco: SimulatedDevice;
  let acme: AcmeDevice;
  let arista: Switch;
  let router: NetconfDevice;
  let server: RestconfDevice;
  let target: GnmiDevice;
  let agent: SnmpAgent;
  let sensor: UdpDevice;
  let health: HealthServer;
  let udp: Relay;
  let sensorRelay: Relay;
  let sshd: Sshd | undefined;
  let relays: Relay[];
  const relay = (at: number) => () => relays[at] ?? raise();

  beforeAll(async () => {
    [cisco, acme, arista, router, server, target, agent, sensor, health] = await Promise.all([
      simulated("cisco_ios", { password, secret }),
      startDevice(password),
      startSwitch({ password, enable: secret }),
      startNetconfDevice(password),
      startRestconfDevice({ password }),
      startGnmiDevice({ username: "operator", password }),
      startSnmpAgent({ community: password }),
      startUdpDevice(password),
      startHealthServer(password),
    ]);
    if (!needs("openssh")) sshd = await startSshd();
    relays = await Promise.all(
      [cisco, acme, arista, router, server, target, health, ...(sshd ? [sshd] : [])].map((to) =>
        startRelay(to),
      ),
    );
    udp = await startUdpRelay(agent);
    sensorRelay = await startUdpRelay(sensor);
    service = await startService({
      plugins: [resolve("examples")],
      env: { PATCHBAY_PLUGIN_ACME_REST_SCHEME: "http" },
    });
  });
  afterAll(async () => {
    await service.stop();
    for (const each of relays) await each.stop();
    await Promise.all([cisco.stop(), server.stop(), target.stop(), udp.stop(), agent.stop(), sshd?.stop()]);
    await sensorRelay.stop();
    sensor.close();
    health.close();
    acme.close();
    arista.close();
    await router.close();
  });

  describe("netmiko", () => {
    const suite = suiteOf({
      plugin: netmiko,
      service: () => service,
      relay: relay(0),
      connection: (host, port) => ({
        device_type: "cisco_ios",
        host,
        port,
        username: "admin",
        password,
        secret,
      }),
      wrong: { password: wrong },
      query: "show clock",
      config: (n) => [`interface Loopback${n}`, `description push ${n}`],
      // Its first line is accepted, and is one of a later push, too.
      refusedConfig: ["interface Loopback3", "bogus line"],
      taken: () => cisco.commands(),
      secrets: [password, secret, wrong],
    });
    for (const { name, run } of suite) test(name, run);
  });

  describe("acme-rest", () => {
    const suite = suiteOf({
      plugin: acmeRest,
      service: () => service,
      relay: relay(1),
      connection: (host, port) => ({ host, port, token: password }),
      wrong: { token: wrong },
      query: "config",
      refusedQuery: "absent",
      config: (n) => [`first line of push ${n}`, `second line of push ${n}`],
      refusedConfig: ["refuse this"],
      taken: () => acme.config,
      secrets: [password, wrong],
      tellsSecret: "echo",
    });
    for (const { name, run } of suite) test(name, run);
  });

  describe("pyeapi", () => {
    const suite = suiteOf({
      plugin: pyeapi,
      service: () => service,
      relay: relay(2),
      connection: (host, port) => ({
        host,
        port,
        transport: "http",
        username: "admin",
        password,
        enable_password: secret,
      }),
      wrong: { password: wrong },
      query: "show version",
      refusedQuery: "show absent",
      config: (n) => [`vlan ${n}`, `name push-${n}`],
      refusedConfig: ["vlan 1", "bogus line"],
      taken: () => arista.running,
      secrets: [password, secret, wrong],
    });
    for (const { name, run } of suite) test(name, run);
  });

  describe("netconf", () => {
    const suite = suiteOf({
      plugin: netconf,
      service: () => service,
      relay: relay(3),
      connection: (host, port) => ({ host, port, username: "admin", password }),
      wrong: { password: wrong },
      query: "get-config",
      refusedQuery: "<get-refused xmlns='urn:x'/>",
      config: (n) => [lineOf(`first ${n}`), lineOf(`second ${n}`)],
      refusedConfig: [lineOf("refused"), refusedOperation],
      taken: () => router.taken,
      secrets: [password, wrong],
    });
    for (const { name, run } of suite) test(name, run);
  });

  describe("snmp, over UDP", () => {
    const contact = (text: string) => `sysContact = ${text}`;
    const suite = suiteOf({
      plugin: snmp,
      service: () => service,
      relay: () => udp,
      connection: (host, port) => ({ host, port, community: password, timeout: 3, repeats: 0 }),
      query: "sysName",
      refusedQuery: "1.3.6.1.2.1.1.99.0",
      config: (n) => [contact(`first ${n}`), `sysLocation = second ${n}`],
      refusedConfig: ["sysContact = x", "sysDescr = y"],
      taken: () =>
        agent.taken.map((line) =>
          line.replace("1.3.6.1.2.1.1.4.0=", "sysContact = ").replace("1.3.6.1.2.1.1.6.0=", "sysLocation = "),
        ),
      secrets: [password],
    });
    for (const { name, run } of suite) test(name, run);
  });

  describe("restconf", () => {
    const suite = suiteOf({
      plugin: restconf,
      service: () => service,
      relay: relay(4),
      connection: (host, port) => ({ host, port, transport: "http", username: "admin", password }),
      wrong: { password: wrong },
      query: "ietf-system:system",
      refusedQuery: "ietf-system:absent",
      config: (n) => [
        `{"ietf-restconf:data": {"ietf-system:system": {"contact": "first ${n}",`,
        `"location": "${n}"}}}`,
      ],
      refusedConfig: ['{"ietf-restconf:data": {"ietf-system:system": {"contact": "x",', '"bogus": 1}}}'],
      taken: () => server.bodies.flatMap((body) => body.split("\n")),
      secrets: [password, wrong],
    });
    for (const { name, run } of suite) test(name, run);
  });

  describe("gnmi", () => {
    const system = "/system/config";
    const set = (leaf: string, text: string) => `${system}/${leaf}=${text}`;
    const suite = suiteOf({
      plugin: gnmi,
      service: () => service,
      relay: relay(5),
      // The service counts rejected logins of a user on a host, whatever the port.
      connection: (host, port) => ({ host, port, transport: "insecure", username: "operator", password }),
      wrong: { password: wrong },
      query: `${system}/domain-name`,
      refusedQuery: `${system}/absent`,
      config: (n) => [
        `{"update": {"${system}/domain-name": "first ${n}",`,
        `"${system}/login-banner": "second ${n}"}}`,
      ],
      refusedConfig: [`{"update": {"${system}/domain-name": "x",`, `"${system}/bogus": 1}}`],
      taken: () =>
        target.taken.map((line) => {
          const text = line.slice(line.indexOf("=") + 1);
          if (line === set("domain-name", text)) return `{"update": {"${system}/domain-name": "${text}",`;
          return `"${system}/login-banner": "${text}"}}`;
        }),
      secrets: [password, wrong],
    });
    for (const { name, run } of suite) test(name, run);
  });

  describe("acme-udp", () => {
    const suite = suiteOf({
      plugin: acmeUdp,
      service: () => service,
      relay: () => sensorRelay,
      connection: (host, port) => ({ host, port, token: password, timeout: 3, repeats: 0 }),
      wrong: { token: wrong },
      query: "name",
      refusedQuery: "absent",
      config: (n) => [`first ${n}`, `second ${n}`],
      refusedConfig: ["first x", "refuse this"],
      taken: () => sensor.config,
      secrets: [password, wrong],
      tellsSecret: "echo",
    });
    for (const { name, run } of suite) test(name, run);
  });

  describe("grpc-health", () => {
    const suite = suiteOf({
      plugin: grpcHealth,
      service: () => service,
      relay: relay(6),
      connection: (host, port) => ({ host, port, token: password, ca: "insecure" }),
      wrong: { token: wrong },
      query: "*",
      refusedQuery: "absent",
      secrets: [password, wrong],
    });
    for (const { name, run } of suite) test(name, run);
  });

  describe.skipIf(needs("openssh")).each([
    ["acme-exec", acmeExec, { refusedConfig: ["true", "false"] }],
    // A non-zero exit status is a result.
    ["paramiko", paramiko, {}],
  ] as const)("%s", (name, plugin, more) => {
    const seen = () => join(sshd?.folder ?? "", `seen-${name}`);
    const line = (text: string) => `echo ${text} >> ${seen()}`;
    const suite = suiteOf({
      plugin,
      service: () => service,
      relay: relay(7),
      connection: (host, port) => ({ host, port, username: sshd?.user, password: sshd?.password }),
      wrong: { password: wrong },
      query: "uname",
      config: (n) => [line(`first-${n}`), line(`second-${n}`)],
      ...more,
      taken: () => takenBy(seen(), line),
      secrets: [wrong],
    });
    for (const { name, run } of suite) test(name, run);
  });
});

function takenBy(file: string, line: (text: string) => string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean).map(line) : [];
}

function raise(): never {
  throw new Error("the relay was not started");
}
