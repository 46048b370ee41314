/** A service with persons and simulated switches, of which some are broken in a way of their own. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { builtins } from "../../plugins/index.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { freePort } from "../../src/testkit/port.ts";
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from "../../src/testkit/simulator/simulator.ts";
import { type SignInPlace, startSignInPlace } from "../../test/support/oidc.ts";

export const sites = ["berlin", "lyon", "oslo"];
/** They have another password. */
export const broken = new Set([7, 23]);
/** Broken in other ways. */
export const edges = {
  /** Loses its connection in the middle of a long push. */
  lost: "oslo-edge-lost",
  /** Types so slowly that its job runs as long as anybody looks. */
  slow: "oslo-edge-slow",
  /** Gets another host key. */
  replaced: "oslo-edge-replaced",
  /** Nothing listens. */
  refused: "oslo-edge-refused",
};
/** As long as names may be, almost. */
export const longest =
  "lyon-campus-west.building-17.floor-03.rack-112.unit-07.access-switch-with-a-long-name.example.net";

export interface Place extends SignInPlace {
  readonly switches: readonly Simulator[];
  /** Of a file server. */
  readonly files: string;
  /** In its place stands another device, with a key of its own. */
  replace(): Promise<void>;
}

const registry = createRegistry();
for (const plugin of builtins) registry.add(plugin, "builtin");
const platform = registry.require("platform", "cisco_ios");

interface PlaceOptions {
  /** Of some devices: as long as names are where they say all about a place. */
  readonly hasLongNames: boolean;
  /** Nobody has stored a device yet. */
  readonly isEmpty: boolean;
}

export async function startPlace({ hasLongNames, isEmpty }: PlaceOptions): Promise<Place> {
  const person = (name: string, group: string) => ({ subject: `p-${name}`, name, groups: [group] });
  const place = await startSignInPlace({
    persons: [person("anna", "netops"), person("ben", "netops"), person("cleo", "helpdesk")],
    env: { PATCHBAY_MCP: "propose", PATCHBAY_URL_ALLOW: "127.0.0.1" },
  });
  const start = async (hostname: string, options: Partial<SimulatorOptions> = {}) => {
    const one = await startSimulator({ platform, hostname, ...options });
    one.device.configuration.replace(configurationOf(hostname));
    return one;
  };
  const switches = await Promise.all(
    Array.from({ length: 36 }, (_, at) =>
      start(nameOf(at, hasLongNames), broken.has(at) ? { password: "other" } : {}),
    ),
  );
  const slow = await start(edges.slow, { faults: { trickleMs: 1_000 } });
  const lost = await start(edges.lost, { faults: { dropAfter: 6_000 } });
  let replaced = await start(edges.replaced);
  const files = createServer((request, response) => {
    if (request.url !== "/fleet.csv") response.writeHead(404);
    response.end(
      "name,host,site,group\nmalmo-sw01,192.0.2.41,malmo,access\nmalmo-sw02,192.0.2.42,malmo,access\n",
    );
  });
  await new Promise<void>((done) => files.listen(0, "127.0.0.1", done));
  const ports = {
    ...Object.fromEntries(switches.map(({ device, port }) => [device.hostname, port])),
    ...{ [edges.lost]: lost.port, [edges.slow]: slow.port, [edges.replaced]: replaced.port },
    ...{ [edges.refused]: await freePort() },
  };
  if (!isEmpty) await fillInventory(place, ports);
  return {
    ...place,
    switches,
    files: `http://127.0.0.1:${(files.address() as AddressInfo).port}`,
    async replace() {
      const { port } = replaced;
      await replaced.stop();
      replaced = await start(edges.replaced, { port });
    },
    async stop() {
      // First who holds sessions with the switches: they would wait for it.
      await place.stop();
      await Promise.all([...switches, slow, lost, replaced].map((one) => one.stop()));
      files.closeAllConnections();
      files.close();
    },
  };
}

async function fillInventory(
  { service }: SignInPlace,
  ports: Readonly<Record<string, number>>,
): Promise<void> {
  await service.call("PUT", "/credential/lab", { username: "admin", password: "admin", secret: "enable" });
  const access = { name: "access", driver: "netmiko", platform: "cisco_ios" };
  await service.call("POST", "/inventory/device", {
    groups: [
      { ...access, role: "access", credential: { name: "file", ref: "lab" }, vars: { ntp: "192.0.2.123" } },
      ...sites.map((site) => ({ name: `access-${site}`, parent: "access" })),
      { name: "edge", parent: "access", change: { approvals: 2, ticket: "^CHG-\\d+$" } },
    ],
    devices: Object.entries(ports).map(([name, port]) => ({
      ...{ name, host: "127.0.0.1", port, site: name.split("-")[0] ?? "" },
      // It would hold up what the week waits for.
      ...(name === edges.slow ? { enabled: false } : {}),
      group: name.includes("-edge-") ? "edge" : `access-${name.split("-")[0]}`,
    })),
  });
}

export const siteOf = (at: number): string => sites[at % sites.length] ?? "";

export function nameOf(at: number, hasLongNames: boolean): string {
  const name = `${siteOf(at)}-sw${String(at + 1).padStart(2, "0")}`;
  return hasLongNames && broken.has(at) ? `${name}.building-17.campus.example.net` : name;
}

/** Those of Oslo have what the intent asks for. */
function configurationOf(name: string): string[] {
  const number = Number(/\d+/.exec(name)?.[0] ?? 1);
  const ports = Array.from({ length: 8 }, (_, at) => [
    `interface GigabitEthernet1/0/${at + 1}`,
    ` description ${at === 0 ? "uplink to core" : `desk ${number}-${at}`}`,
    ...(at === 0 ? [" switchport mode trunk"] : [" switchport access vlan 10", " switchport mode access"]),
    ...(at === 7 ? [" shutdown"] : [" spanning-tree portfast"]),
  ]).flat();
  return [
    ...[
      "version 15.2",
      "service timestamps log datetime msec",
      `hostname ${name}`,
      "ip domain name example.net",
    ],
    ...["vlan 10", " name users", ...ports],
    ...["interface Vlan1", ` ip address 10.0.${number}.2 255.255.255.0`],
    ...["ip default-gateway 10.0.0.1", "logging host 192.0.2.9", "snmp-server location basement"],
    ...(name.startsWith("oslo") ? ["ntp server 192.0.2.123"] : []),
    ...(name.startsWith("lyon") ? ["ntp server 192.0.2.7", "ntp server 192.0.2.123"] : []),
    ...["line vty 0 15", " transport input ssh"],
  ];
}
